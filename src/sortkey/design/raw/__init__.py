"""Raw designs: requests as text, written elsewhere, that load with their faults as findings."""
