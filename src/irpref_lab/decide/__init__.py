"""Which system is better: comparisons, the gate, leaderboards, and the tests behind them."""
