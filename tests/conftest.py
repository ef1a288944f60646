"""What all tests share."""

import signal

from hypothesis import HealthCheck, settings

# A suite started in the background may inherit that Ctrl-C is ignored; the processes it starts must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Kernels compile at their first call, and the machine may be busy: no test fails for being slow.
settings.register_profile("setset", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("setset")
