"""GymCoach AI: plans, workouts, coaching and progress; 24 entities in one table."""
