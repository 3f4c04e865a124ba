/** The part of a repository's address that a Git client requests. */
export type TransferAddress = {
  spaceId: string
  /** 'other' is a path below an address with ".git" that is not offered. */
  resource: 'info/refs' | 'git-upload-pack' | 'git-receive-pack' | 'lfs' | 'other'
  query: URLSearchParams
}

const pattern = /^\/([0-9A-Za-z]{1,40})(\.git)?\/([^?]*)(?:\?(.*))?$/s

/**
 * Returns what a Git client requests with this URL, as sent; undefined for URLs of the API and of
 * sites. Without ".git" only requests that no browser sends are Git's. No part of the path but the
 * id of the space is ever used.
 */
export function transferAddress(url: string): TransferAddress | undefined {
  const [, spaceId = '', suffix, path = '', search = ''] = pattern.exec(url) ?? []
  if (spaceId === '' || (suffix === undefined && spaceId === 'v1')) return undefined
  const query = new URLSearchParams(search.slice(0, 1000))
  const resource = resourceOf(path)

  if (suffix === undefined) {
    if (resource === 'other') return undefined
    if (resource === 'info/refs' && !query.get('service')?.startsWith('git-')) return undefined
  }

  return { spaceId, resource, query }
}

function resourceOf(path: string): TransferAddress['resource'] {
  if (path === 'info/refs' || path === 'git-upload-pack' || path === 'git-receive-pack') return path
  return path === 'info/lfs/objects/batch' ? 'lfs' : 'other'
}
