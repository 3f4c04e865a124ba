/** A page in a list for programs. Addresses are whole URLs. */
export type ListedPage = {
  title: string
  url: string
  /** The address of its Markdown. */
  markdown: string
  description?: string | undefined
  /** The number of pages above it. */
  depth: number
  /** When it last changed, as an ISO date. */
  updated?: string | undefined
}

const inLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/([[\]])/g, '\\$1')
    .trim()

/** Returns `llms.txt`: the pages of a site space as a Markdown list of their Markdown. */
export function llmsText(title: string, pages: readonly ListedPage[], full: string): string {
  const entries = pages.map(page => {
    const description = page.description ? `: ${page.description.replace(/\s+/g, ' ').trim()}` : ''
    return `${'  '.repeat(page.depth)}- [${inLine(page.title)}](${page.markdown})${description}`
  })
  return `# ${inLine(title)}\n\n${entries.join('\n')}\n\n## Optional\n\n- [All pages in one text](${full})\n`
}

/** Returns the pages of a site space as a Markdown list of their addresses. */
export function sitemapMarkdown(title: string, pages: readonly ListedPage[]): string {
  const entries = pages.map(
    page => `${'  '.repeat(page.depth)}- [${inLine(page.title)}](${page.url})`,
  )
  return `# ${inLine(title)}\n\n${entries.join('\n')}\n`
}
