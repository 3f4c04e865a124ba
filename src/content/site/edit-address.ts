/** The repository from which a space is synchronised. */
type Remote = {
  /** The address of the repository, or of a tree in it. */
  url: string
  provider: string | null
  /** The branch as `refs/heads/<branch>`. */
  ref: string
  /** The folder of the project in the repository; '' for the whole repository. */
  directory: string
}

type Known = {
  edits: (repository: string, branch: string, path: string) => string
  repositoryOf: (path: string) => string
}

const firstTwo = (path: string): string => path.split('/').slice(0, 3).join('/')

const github: Known = {
  edits: (repository, branch, path) => `${repository}/edit/${branch}/${path}`,
  repositoryOf: firstTwo,
}
const gitlab: Known = {
  edits: (repository, branch, path) => `${repository}/-/edit/${branch}/${path}`,
  repositoryOf: path => path.split('/-/', 1)[0] ?? '',
}
const bitbucket: Known = {
  edits: (repository, branch, path) => `${repository}/src/${branch}/${path}?mode=edit`,
  repositoryOf: firstTwo,
}
const forgejo: Known = {
  edits: (repository, branch, path) => `${repository}/_edit/${branch}/${path}`,
  repositoryOf: firstTwo,
}

const providers: Readonly<Record<string, Known>> = { github, gitlab }
const hosts: Readonly<Record<string, Known>> = {
  'github.com': github,
  'gitlab.com': gitlab,
  'bitbucket.org': bitbucket,
  'codeberg.org': forgejo,
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** Returns an address with `{path}` in it for a file of a space. */
export const filledEditLink = (link: string, path: string): string =>
  link.replace('{path}', () => encoded(path))

/**
 * Returns the address at which the host of a repository edits a file of a space; undefined for
 * hosts that are not known.
 */
export function editAddress(
  { url, provider, ref, directory }: Remote,
  path: string,
): string | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined
  const { host, pathname, protocol } = new URL(url)
  const known = Object.hasOwn(providers, provider ?? '')
    ? providers[provider ?? '']
    : Object.hasOwn(hosts, host)
      ? hosts[host]
      : undefined
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  const repository = known
    ?.repositoryOf(pathname)
    .replace(/\/$/, '')
    .replace(/\.git$/, '')
  if (!known || branch === undefined || !repository) return undefined

  const file = [directory, path].filter(part => part !== '').join('/')

  return known.edits(`${protocol}//${host}${repository}`, encoded(branch), encoded(file))
}
