"""What kernels see, and nothing else: arrays by topic."""
