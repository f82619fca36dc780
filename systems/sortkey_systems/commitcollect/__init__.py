"""CommitCollect: Strava activity earns parts of a 3D statue, and each part is for ever."""
