"""The declarations of the systems' records: immutable fields, identities and defaults."""

from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

from sortkey import load_design

EVERYTHING = {"*"}
NEVER_CHANGES: dict[str, dict[str, set[str]]] = {
    "oneonone": {},
    "commitcollect": {
        "Award": EVERYTHING,
        "AuditEvent": EVERYTHING,
    },
    "agentcore": {
        "Assistant": {"created_at", "owner_email_domain", "owner_id"},
        "QuotaEvent": EVERYTHING,
        "QuotaTier": {"created_at", "created_by"},
        "Assignment": {"assignment_type", "subject"},
        "Override": {"user_id", "valid_from", "valid_until"},
        "Session": {"created_at"},
        "DeletedSession": {"created_at"},
        "CostRecord": EVERYTHING,
        "SignInState": EVERYTHING,
    },
    "shuttle": {
        "Job": {
            "created_at",
            "created_by",
            "file_key",
            "is_dry_run",
            "mode",
            "total_products",
            "type",
        },
        "SchemaVersion": EVERYTHING,
    },
    "gymcoach": {
        "UserProfile": {"user_id"},
        "UserFitnessProfile": {"user_id"},
        "WorkoutPlan": {"user_id"},
        "WorkoutSession": {"user_id"},
        "ExerciseSubstitution": {"user_id"},
        "WorkoutRecommendation": {"user_id"},
        "AdviceGiven": EVERYTHING,
        "FinishedDeletion": EVERYTHING,
        "AdaptivePlan": {"user_id"},
        "RecoveryPlan": {"user_id"},
        "DeviceToken": {"user_id"},
        "NotificationRecord": {"user_id"},
        "NotificationPreferences": {"user_id"},
        "Reminder": {"user_id"},
        "ProgressPhoto": {"user_id"},
        "ProgressMetrics": {"user_id"},
        "StrengthProgress": {"user_id"},
        "BodyMeasurement": {"user_id"},
        "ProgressChart": {"user_id"},
        "Milestone": {"user_id"},
        "PerformanceTrend": {"user_id"},
    },
}
# The fields that identify a record, if they are not its key alone.
IDENTIFIED_BY: dict[str, dict[str, set[str]]] = {
    "commitcollect": {"AuditEvent": {"event_id"}},
    "gymcoach": {
        "ProgressMetrics": {"user_id", "period", "start_date"},
        "StrengthProgress": {"user_id", "exercise_id"},
        "BodyMeasurement": {"user_id", "measurement_type", "id"},
        "PerformanceTrend": {"user_id", "start_date", "metric_type", "period"},
    },
}
# The defaults of optional fields.
DEFAULTS: dict[str, dict[str, dict[str, Any]]] = {
    "oneonone": {
        "User": {"points_left": 15, "is_waiting_in_queue": False},
    },
    "commitcollect": {
        "Milestone": {
            "status": "ACTIVE",
            "progress_value": 0,
            "percent_complete": 0,
            "parts_earned": 0,
            "version": 0,
        },
        "ModelMeta": {"status": "ACTIVE"},
        "UserProfile": {"plan": "free", "role": "user"},
        "Workout": {"is_deleted": False},
    },
    "agentcore": {
        "Assignment": {"priority": 0, "enabled": True},
        "Assistant": {"status": "DRAFT"},
        "CostSummary": {
            "total_cost_micros": 0,
            "request_count": 0,
            "input_tokens": 0,
            "output_tokens": 0,
        },
        "DeletedSession": {"message_count": 0, "starred": False},
        "Override": {"enabled": True},
        "QuotaTier": {
            "period_type": "monthly",
            "soft_limit_percentage": 80,
            "action_on_limit": "block",
            "enabled": True,
            "assignment_count": 0,
        },
        "Session": {"message_count": 0, "starred": False, "rev": 0},
    },
    "shuttle": {
        "FieldDefinition": {"is_required": False},
        "Job": {
            "status": "QUEUED",
            "type": "IMPORT",
            "mode": "NEW_ONLY",
            "is_dry_run": False,
            "processed_products": 0,
            "successful_products": 0,
            "failed_products": 0,
            "next_batch": 0,
        },
        "MetafieldDefinition": {"is_required": False},
        "Session": {"is_online": False, "is_copied": False},
        "SessionMove": {
            "passes": 1,
            "copied": 0,
            "already_there": 0,
            "expired": 0,
            "signed_out": 0,
            "rejected": 0,
        },
        "Shop": {"plan": "FREE", "billing_status": "ACTIVE", "active_jobs": 0},
        "ShopSettings": {"default_mode": "NEW_ONLY", "locale": "en"},
        "UsageDaily": {
            "imports_count": 0,
            "products_imported": 0,
            "api_calls": 0,
            "storage_used_bytes": 0,
        },
        "UsageMonthly": {
            "imports_count": 0,
            "products_imported": 0,
            "api_calls": 0,
            "storage_used_bytes": 0,
        },
    },
    "gymcoach": {
        "AdaptivePlan": {"is_active": True},
        "AppPreferences": {"units": "metric", "timezone": "UTC"},
        "CoachingRule": {"is_active": True},
        "DeviceToken": {"is_active": True},
        "Exercise": {"difficulty": "beginner"},
        "Milestone": {
            "current_value": 0,
            "progress_percentage": 0,
            "achieved": False,
            "version": 0,
        },
        "NotificationChannels": {
            "email": True,
            "push": True,
            "workout_reminders": True,
            "nutrition_reminders": True,
        },
        "NotificationPreferences": {
            "workout_reminders": True,
            "nutrition_reminders": True,
            "water_reminders": True,
            "progress_photos": True,
            "achievements": True,
            "ai_suggestions": True,
            "timezone": "UTC",
            "version": 0,
        },
        "NotificationRecord": {"delivery_status": "Sent"},
        "PerformedSet": {"completed": False},
        "PlannedExercise": {"rest_seconds": 60},
        "Privacy": {
            "profile_visibility": "private",
            "workout_sharing": False,
            "progress_sharing": False,
        },
        "RecoveryPlan": {"is_completed": False},
        "StrengthProgress": {"weight_increase": 0, "percentage_increase": 0, "version": 0},
        "TrainingPreferences": {
            "workout_duration_preference": 60,
            "frequency_preference": 3,
            "intensity_preference": "moderate",
        },
        "UserFitnessProfile": {"experience_level": "beginner", "version": 0},
        "UserProfile": {"experience_level": "beginner"},
        "WorkoutPlan": {"difficulty": "beginner", "is_active": True},
        "WorkoutRecommendation": {"is_applied": False},
        "WorkoutSession": {"version": 0},
    },
}


@pytest.mark.parametrize("system", NEVER_CHANGES)
def test_immutable_fields_are_declared(system: str) -> None:
    kinds = load_design(f"sortkey_systems.{system}.design").kinds
    kept = {kind.name: EVERYTHING if kind.immutable else kind.frozen_fields for kind in kinds}

    assert {name: fields for name, fields in kept.items() if fields} == NEVER_CHANGES[system]


@pytest.mark.parametrize("system", NEVER_CHANGES)
def test_identities_are_declared(system: str) -> None:
    kinds = load_design(f"sortkey_systems.{system}.design").kinds
    identified = {kind.name: set(kind.identity) for kind in kinds if kind.identity}

    assert identified == IDENTIFIED_BY.get(system, {})


@pytest.mark.parametrize("system", NEVER_CHANGES)
def test_no_number_is_a_float_which_would_be_stored_as_another_number(
    system: str,
) -> None:
    floats = [
        f"{name}.{field}"
        for name, model in models_of(system).items()
        for field, info in model.model_fields.items()
        if "float" in repr(info.annotation)
    ]

    assert floats == []


@pytest.mark.parametrize("system", DEFAULTS)
def test_optional_fields_have_these_defaults(system: str) -> None:
    models = models_of(system)
    found = {
        name: {field: plain(models[name].model_fields[field].default) for field in fields}
        for name, fields in DEFAULTS[system].items()
    }

    assert found == DEFAULTS[system]


def models_of(system: str) -> dict[str, type[BaseModel]]:
    modules = load_design(f"sortkey_systems.{system}.design").modules
    named = [(name, held) for module in modules for name, held in vars(module).items()]
    return {n: held for n, held in named if isinstance(held, type) and issubclass(held, BaseModel)}


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
