"""Results that change from run to run or between machines."""
