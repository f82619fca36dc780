"""Consumers of queues and streams, and the schedules: what calls functions by itself."""
