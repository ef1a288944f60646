"""What all tests share."""

from hypothesis import HealthCheck, settings

# Kernels compile at their first call, and the machine may be busy: no test fails for being slow.
settings.register_profile("setset", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("setset")
