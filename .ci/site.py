"""A hook of mkdocs: links to files of the repository that are no pages become their names. A file that is not there is an error."""

import re
from pathlib import Path

from mkdocs.exceptions import PluginError

LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)\s]*)\)")


def on_page_markdown(markdown, page, config, files):
    docs = Path(config.docs_dir).resolve()
    folder = (docs / page.file.src_uri).parent

    def name(match):
        text, target = match.groups()
        path = (folder / target.split("#")[0]).resolve()
        if path.is_relative_to(docs):
            return match.group(0)
        if not path.exists():
            raise PluginError(f"{page.file.src_uri}: the link {target} leads nowhere")
        return f"{text} (`{path.relative_to(docs.parent)}`)"

    return LINK.sub(name, markdown)
