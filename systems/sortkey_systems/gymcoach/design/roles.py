"""Roles: the programs that use the table, each with only the patterns it needs."""

from sortkey import About, Role
from sortkey_systems.gymcoach.design.coaching import (
    active_adaptive_plans,
    active_rules,
    active_rules_of_type,
    adaptive_plans,
    adaptive_plans_of_user,
    advice_given,
    advice_given_to,
    all_coaching_rules,
    apply_recommendation,
    coaching_rules,
    give_advice,
    open_recommendations,
    recovery_plans,
    recovery_plans_of_user,
    workout_recommendations,
    workout_recommendations_of_user,
)
from sortkey_systems.gymcoach.design.deleting import (
    ERASURES,
    begin_deletion,
    deletions_under_way,
    end_deletion,
    finished_deletion,
)
from sortkey_systems.gymcoach.design.finishing import finish_session
from sortkey_systems.gymcoach.design.notifying import (
    create_notification_preferences,
    delete_notification_preferences,
    device_token,
    device_tokens,
    devices_of_user,
    notification_preferences,
    notification_records,
    notification_records_by_id,
    notification_records_of_user,
    notification_setup,
    reminder,
    reminders_due,
    update_notification_preferences,
)
from sortkey_systems.gymcoach.design.people import (
    fitness_profile,
    fitness_profiles,
    register_user,
    user,
    users,
)
from sortkey_systems.gymcoach.design.progress import (
    body_measurements,
    measurements_between,
    metrics_of_user,
    milestones,
    milestones_of_user,
    milestones_under_way,
    performance_trends,
    progress_charts,
    progress_charts_of_user,
    progress_metrics,
    progress_photos,
    progress_photos_of_user,
    strength_between,
    strength_progress,
    trends_between,
)
from sortkey_systems.gymcoach.design.training import (
    active_workout_plans,
    all_exercises,
    exercise,
    exercise_substitutions,
    exercise_substitutions_of_user,
    exercises,
    exercises_of_category,
    exercises_of_difficulty,
    workout_plans,
    workout_plans_of_user,
    workout_sessions,
    workout_sessions_of_user,
)

about = About(name="gymcoach", tenant="user_id", environments=("dev", "prod"), users=100_000)

# Partitions of one user, to which IAM can restrict a session.
member = Role(
    "member",
    [
        user,
        workout_plans_of_user,
        active_workout_plans,
        workout_sessions_of_user,
        exercise_substitutions_of_user,
        workout_recommendations_of_user,
        open_recommendations,
        advice_given,
        advice_given_to,
        adaptive_plans_of_user,
        active_adaptive_plans,
        recovery_plans_of_user,
        progress_photos_of_user,
        progress_charts_of_user,
        milestones_of_user,
        milestones_under_way,
        notification_records_of_user,
        devices_of_user,
        device_token,
        notification_preferences,
        notification_setup,
        reminder,
    ],
    acts_for="user_id",
)
# Partitions that users share: the services check the owner of each record.
app = Role(
    "app",
    [
        user,
        register_user,
        *users.changing,
        *fitness_profiles.patterns,
        *workout_plans.patterns,
        *workout_sessions.patterns,
        finish_session,
        milestones_under_way,
        *exercise_substitutions.patterns,
        *workout_recommendations.patterns,
        apply_recommendation,
        *adaptive_plans.patterns,
        *recovery_plans.patterns,
        *progress_photos.patterns,
        metrics_of_user,
        *progress_metrics.patterns,
        strength_between,
        *strength_progress.patterns,
        measurements_between,
        *body_measurements.patterns,
        *progress_charts.patterns,
        *milestones.patterns,
        trends_between,
        *performance_trends.patterns,
        *device_tokens.patterns,
        *notification_records.patterns,
        notification_setup,
        create_notification_preferences,
        update_notification_preferences,
        delete_notification_preferences,
    ],
)
library = Role("library", [exercise, all_exercises, exercises_of_category, exercises_of_difficulty])
editor = Role(
    "editor",
    [
        all_exercises,
        *exercises.patterns,
        all_coaching_rules,
        *coaching_rules.patterns,
    ],
)
coach = Role(
    "coach",
    [
        active_rules,
        active_rules_of_type,
        fitness_profile,
        give_advice,
        workout_recommendations.create,
    ],
)
messenger = Role(
    "messenger",
    [
        reminders_due,
        devices_of_user,
        notification_records_by_id,
        notification_records.get,
        notification_records.create,
        *notification_records.changing,
    ],
)
eraser = Role(
    "eraser",
    [
        user,
        users.create,
        begin_deletion,
        deletions_under_way,
        end_deletion,
        finished_deletion,
        *(erasure.keys for erasure in ERASURES),
        *(erasure.erase for erasure in ERASURES),
    ],
)
