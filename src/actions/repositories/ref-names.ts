/** Where the identity of pages and files is noted. */
export const identityRef = 'refs/notes/stemma/identity'

/** What the names of refs begin with whose commits can be read as revisions: branches, and commits that were kept. */
export const contentRefs = ['refs/heads/', 'refs/stemma/keep/'] as const

/** Whether the commits of a ref can be read as revisions. */
export const isContentRef = (ref: string): boolean => contentRefs.some(prefix => ref.startsWith(prefix))

/**
 * Where the jumps of the published history are noted, so that "stemma reindex" can restore rows that were lost. Git takes
 * no push to refs below refs/stemma/, and nothing that is fetched is stored under this name.
 */
export const publishedRef = 'refs/stemma/published'

/** The branch of a change request. */
export const changeRequestRef = (number: number): string => `refs/heads/change-requests/${number}`

/** Whether a branch of this name would stand among the branches of change requests, or in their way. */
export const isAmongChangeRequests = (ref: string): boolean =>
  /^refs\/heads\/change-requests(?:\/|$)/.test(ref)

/** The ref that keeps a commit alive which a row names and no branch holds. */
export const keepRef = (oid: string): string => `refs/stemma/keep/${oid}`

/** The number of the change request whose branch this is; undefined for any other ref. */
export const changeRequestNumberOf = (ref: string): number | undefined => {
  const number = /^refs\/heads\/change-requests\/([1-9]\d{0,8})$/.exec(ref)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Where a running export keeps the commit that it is about to push. */
export const exportRef = (operationId: string): string => `refs/stemma/exports/${operationId}`
