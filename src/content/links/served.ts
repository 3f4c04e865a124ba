/** The folders whose files other tools serve at the root of a site, the likeliest first. */
export const servedFolders: readonly string[] = ['static/', 'public/']

/** Returns the path that other tools serve as an HTML file: `guide` for `guide.html`. */
export const withoutHtml = (path: string): string => path.replace(/(?:(^|\/)index)?\.html?$/i, '$1')

/**
 * Returns further paths that a target may mean, where none of its candidates exists. Other tools
 * serve `public/a.png` as `/a.png` and `guide.md` as `guide.html` and `/guide/`.
 */
export function furtherPaths(target: string, candidates: readonly string[]): string[] {
  const isAbsolute = target.startsWith('/')
  const further = candidates.flatMap(path => {
    const page = withoutHtml(path)
    return [
      ...(page === path ? [] : [page]),
      ...(isAbsolute ? servedFolders.map(folder => folder + path) : []),
      ...(isAbsolute && path.endsWith('/') ? [path.slice(0, -1)] : []),
    ]
  })

  return [...new Set(further)]
}
