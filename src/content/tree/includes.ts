import { baseName, type ContentFile, isMarkdown } from '../files.ts'
import type { PageFacts } from '../page/facts.ts'

/** Where reusable content stands, from the root. */
export const includesDirectory = '.gitbook/includes/'

/** The files of reusable content: Markdown directly in `<root>.gitbook/includes/`, in the order given. */
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

/** The title of a piece of reusable content: its front matter's, its heading, or its file's name. Never empty. */
export function titleOfInclude(path: string, facts: PageFacts | undefined): string {
  const name = baseName(path).replace(/\.(?:md|markdown)$/i, '') || baseName(path)
  return facts?.frontMatter.title?.trim() || facts?.h1?.trim() || name
}
