/** The ref of the identity notes. */
export const identityRef = 'refs/notes/stemma/identity'

/** Prefixes of refs whose commits can be read as revisions: branches and kept commits. */
export const contentRefs = ['refs/heads/', 'refs/stemma/keep/'] as const

/** Returns whether the commits of a ref can be read as revisions. */
export const isContentRef = (ref: string): boolean =>
  contentRefs.some(prefix => ref.startsWith(prefix))

/**
 * The ref of the notes that record jumps of the published line, from which "stemma reindex"
 * restores lost rows. Git refuses pushes below refs/stemma/, and fetches never write to this name.
 */
export const publishedRef = 'refs/stemma/published'

/** The folder of the branches of change requests. */
export const changeRequestFolder = 'refs/heads/change-requests/'

/** Returns the branch of a change request. */
export const changeRequestRef = (number: number): string => `${changeRequestFolder}${number}`

/** Returns whether a branch name collides with the branches of change requests. */
export const isAmongChangeRequests = (ref: string): boolean =>
  /^refs\/heads\/change-requests(?:\/|$)/.test(ref)

/** Returns the ref that keeps a commit which a row names and no branch contains. */
export const keepRef = (oid: string): string => `refs/stemma/keep/${oid}`

/** Returns the number of the change request with this branch; undefined for other refs. */
export function changeRequestNumberOf(ref: string): number | undefined {
  const number = /^refs\/heads\/change-requests\/([1-9]\d{0,8})$/.exec(ref)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Returns the ref of the commit that a running export is about to push. */
export const exportRef = (runId: string): string => `refs/stemma/exports/${runId}`
