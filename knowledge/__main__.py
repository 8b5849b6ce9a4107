"""`python -m knowledge`: the command line, for when its script is not on PATH."""

import sys

from knowledge.surfaces.cli.main import main

sys.exit(main())
