/** What `.gitbook.yaml` says, every path normalised and from the top of the content directory. */
export type ContentConfig = {
  /** '' or a directory with its slash. */
  root: string
  readme: string
  summary: string
  /** `from` is an old URL path without slashes around it, `to` a file (a fragment may follow) or a URL. */
  redirects: { from: string; to: string }[]
}
