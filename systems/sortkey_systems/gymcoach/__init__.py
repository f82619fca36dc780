"""GymCoach AI: plans, workouts, coaching and progress; 22 entities in one table."""
