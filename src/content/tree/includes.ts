import { baseName, type ContentFile, isMarkdown, withoutEnding } from '../files.ts'
import type { PageFacts } from '../page/facts.ts'
import { headingOf } from './page-node.ts'

/** The directory of reusable content, relative to the root. */
const includesDirectory = '.gitbook/includes/'

/**
 * Returns the files of reusable content: Markdown directly in `<root>.gitbook/includes/`, in the
 * order given.
 */
export function includeFiles(files: Iterable<ContentFile>, root: string): ContentFile[] {
  const directory = root + includesDirectory
  const found: ContentFile[] = []
  for (const file of files)
    if (
      file.path.startsWith(directory) &&
      !file.path.includes('/', directory.length) &&
      isMarkdown(file.path)
    )
      found.push(file)

  return found
}

/**
 * Returns the title of a piece of reusable content: from front matter, heading or file name. Never
 * empty.
 */
export function titleOfInclude(path: string, facts: PageFacts | undefined): string {
  const name = withoutEnding(baseName(path)) || baseName(path)
  return facts?.frontMatter.title?.trim() || headingOf(path, facts) || name
}
