"""From a finding to what its user can paste."""
