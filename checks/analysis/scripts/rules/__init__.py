"""The rules: each of them a function that looks at a run or a module and marks its lines."""
