import {
  countFindings,
  type FindingCounts,
  findingSentences,
} from '../../content/findings/count.ts'
import type { Context } from '../../context.ts'
import { isGitError } from '../../git/values/errors.ts'
import { asOid } from '../../lib/oid.ts'
import type { GitSyncRunRow } from '../../store/tables/rows.ts'
import { isRevision } from '../revisions/is-revision.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { findingsOfRevision } from './read-findings.ts'

/** What an import brought that is not understood: in sentences, and how many of each kind. */
type RunFindings = { findings: string[]; findingCounts: FindingCounts }

/** How long an answer waits for the findings, in milliseconds. */
const patience = 5_000

/**
 * Returns the findings of the revision that an import ended with. Returns undefined for other runs,
 * and if the revision is gone, damaged, or too large to be read in time: the API lists the findings.
 */
export async function findingsOfRun(
  ctx: Context,
  { space_id: spaceId, direction, state, revision }: GitSyncRunRow,
  signal: AbortSignal,
): Promise<RunFindings | undefined> {
  if (direction !== 'import' || state !== 'success' || revision === null) return undefined
  const limited = AbortSignal.any([signal, AbortSignal.timeout(patience)])

  try {
    const oid = asOid(revision)
    if (!(await isRevision(ctx, spaceId, oid))) return undefined
    const view = await viewRevision(ctx, spaceId, oid)
    const { findings } = await findingsOfRevision(ctx, spaceId, view, undefined, limited)
    return { findings: findingSentences(findings), findingCounts: countFindings(findings) }
  } catch (error) {
    if (signal.aborted || !(limited.aborted || isGitError(error))) throw error
    return undefined
  }
}
