"""Small scripted histories: each Markdown file tells one, `build.py` makes a real git repository of it, `demo.py` uses one."""
