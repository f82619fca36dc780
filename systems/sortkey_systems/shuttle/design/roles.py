"""The roles that use the shuttle's data, each with only the patterns that it needs."""

from sortkey import Role
from sortkey_systems.shuttle.design.erasing import (
    erase_jobs,
    erase_other_records,
    erase_shop,
    mark_erasing,
    mark_purging,
    other_records,
    stored_jobs,
    stored_session_ids,
)
from sortkey_systems.shuttle.design.history import history_between
from sortkey_systems.shuttle.design.jobs import (
    cancel_job,
    count_batch,
    finish_job,
    job_by_id,
    jobs_by_status,
    jobs_by_status_between,
    jobs_in_status,
    jobs_of_shop,
    start_job,
    submit_import,
    submit_uncounted,
)
from sortkey_systems.shuttle.design.schemas import (
    add_schema,
    current_schema,
    replace_schema,
    schema_version,
    set_validated,
)
from sortkey_systems.shuttle.design.sessions import (
    end_moving_session,
    end_session,
    end_session_of_shop,
    extend_session,
    fresh_session,
    put_session,
    session_by_id,
    sessions_of_shop,
)
from sortkey_systems.shuttle.design.shops import (
    active_shops,
    add_shop,
    mark_uninstalled,
    reinstall_shop,
    renew_shop,
    set_billing_status,
    set_plan,
    set_settings,
    shop_by_domain,
    shops_by_install_date,
    shops_due_for_purge,
)
from sortkey_systems.shuttle.design.usage import (
    add_api_calls,
    set_storage,
    usage_in_month,
    usage_of_day,
    usage_of_days,
    usage_of_month,
    usage_of_months,
    usage_on_day,
)

merchant = Role(
    "merchant",
    [
        shop_by_domain,
        job_by_id,
        jobs_of_shop,
        jobs_by_status,
        jobs_by_status_between,
        jobs_in_status,
        usage_of_day,
        usage_of_month,
        usage_of_days,
        usage_of_months,
        history_between,
        current_schema,
        schema_version,
        set_settings,
        submit_import,
        submit_uncounted,
        cancel_job,
        add_schema,
        replace_schema,
    ],
    acts_for="domain",
)
gatekeeper = Role(
    "gatekeeper",
    [
        session_by_id,
        fresh_session,
        sessions_of_shop,
        shop_by_domain,
        put_session,
        extend_session,
        end_session,
        end_session_of_shop,
        end_moving_session,
        add_shop,
        renew_shop,
        reinstall_shop,
        mark_uninstalled,
    ],
)
worker = Role(
    "worker",
    [
        shop_by_domain,
        job_by_id,
        jobs_in_status,
        current_schema,
        start_job,
        count_batch,
        finish_job,
        add_api_calls,
        set_storage,
        set_validated,
    ],
)
operator = Role(
    "operator",
    [
        shops_by_install_date,
        active_shops,
        shops_due_for_purge,
        usage_on_day,
        usage_in_month,
        sessions_of_shop,
        shop_by_domain,
        set_plan,
        set_billing_status,
    ],
)
eraser = Role(
    "eraser",
    [
        shop_by_domain,
        shops_due_for_purge,
        mark_erasing,
        mark_purging,
        stored_jobs,
        erase_jobs,
        other_records,
        erase_other_records,
        stored_session_ids,
        end_session,
        end_moving_session,
        erase_shop,
    ],
)
