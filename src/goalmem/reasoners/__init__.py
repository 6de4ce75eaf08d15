"""Who proposes goals: `local` without a model."""
