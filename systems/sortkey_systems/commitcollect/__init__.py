"""CommitCollect: Strava activity earns parts of a 3D statue, and every part is kept for good."""
