"""TLS certificates of a cluster: a folder with ca.pem, cert.pem and key.pem. All nodes have a copy of this folder."""

import os
from pathlib import Path

from distributed import Security

from setset import durable
from setset.errors import BadInput, SetsetError, require_extra

VARIABLE = "SETSET_CERTIFICATES"
"""Environment variable with the path of the folder of certificates. `setset run` reads it. It is also the default of
the option --certificates."""
NAMES = ("ca.pem", "cert.pem", "key.pem")


def make_certificates(folder: Path) -> bool:
    """Makes certificates in an empty folder. Returns False if the folder has certificates already."""
    if all((folder / name).is_file() for name in NAMES):
        return False
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"--certificates {folder}: the folder is not empty, but lacks {', '.join(NAMES)}")
    with require_extra("dask", "making certificates"):
        made = Security.temporary()
    durable.make_folder(folder)
    folder.chmod(0o700)
    contents = made.tls_ca_file, made.tls_scheduler_cert, made.tls_scheduler_key
    for name, content in zip(NAMES, contents, strict=True):
        durable.save(folder / name, str(content).encode())
        (folder / name).chmod(0o600)
    return True


def read_certificates(folder: Path | None = None) -> Security:
    """Makes Dask's security settings from the certificates in a folder, by default the folder in SETSET_CERTIFICATES.

    Without a folder and without SETSET_CERTIFICATES, Dask's own configuration applies.
    """
    variable = os.environ.get(VARIABLE)
    folder = folder or (Path(variable) if variable else None)
    if folder is None:
        return Security()
    ca, cert, key = (folder / name for name in NAMES)
    for file in (ca, cert, key):
        if not file.is_file():
            raise SetsetError(f"{file} is missing: copy the folder that 'setset scheduler --certificates DIR' made")
    parts = {f"tls_{role}_{part}": str(file) for role in ("scheduler", "worker", "client")
             for part, file in (("cert", cert), ("key", key))}  # fmt: skip
    return Security(tls_ca_file=str(ca), require_encryption=True, **parts)
