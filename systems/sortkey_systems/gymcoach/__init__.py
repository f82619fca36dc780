"""GymCoach AI: plans, workouts, coaching and progress, 20 kinds of record in one table."""
