import { addedFindings } from '../../content/findings/compare.ts'
import { findingSentences } from '../../content/findings/count.ts'
import type { Finding } from '../../content/findings/kinds.ts'
import type { Context } from '../../context.ts'
import { mergeBase } from '../../git/commits/merge.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import type { Oid } from '../../lib/oid.ts'
import { findingsOfRevision } from '../findings/read-findings.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { viewRevision } from '../revisions/view-revision.ts'

/** The most branches of a push whose findings are told. */
const mostBranches = 3

/** How long a push waits for its findings, in milliseconds. */
const patience = 2_000

/**
 * Returns a line for each kind of finding that is an error and that the commands brought, compared
 * with what each branch had before. Returns none for a space that is too large to be read in time:
 * the API lists the findings. Never throws.
 */
export async function newFindings(
  ctx: Context,
  spaceId: string,
  commands: readonly PushCommand[],
): Promise<string[]> {
  const signal = AbortSignal.timeout(patience)
  const found: Finding[] = []

  try {
    for (const command of commands.slice(0, mostBranches))
      found.push(...(await errorsOf(ctx, spaceId, command, signal)))
  } catch (error) {
    if (!signal.aborted)
      ctx.log.warn({ space: spaceId, err: String(error) }, 'the findings of a push are not told')
    return []
  }

  return findingSentences(found).map(sentence => `New: ${sentence}`)
}

async function errorsOf(
  ctx: Context,
  spaceId: string,
  { ref, from, to }: PushCommand,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (to === null || to === from) return []
  const find = async (oid: Oid) => {
    signal.throwIfAborted()
    const view = await viewRevision(ctx, spaceId, oid)
    return (await findingsOfRevision(ctx, spaceId, view, undefined, signal)).findings
  }
  const errors = (await find(to)).filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return []
  const base = from ?? (await startOf(ctx, spaceId, ref, to))

  return base ? addedFindings(errors, await find(base)) : errors
}

/** Returns the commit that a new branch started from. */
async function startOf(
  ctx: Context,
  spaceId: string,
  ref: string,
  to: Oid,
): Promise<Oid | undefined> {
  const primary = primaryRef(ctx, spaceId)
  const head = ref === primary ? undefined : headOf(ctx, spaceId, primary)
  return head && mergeBase(spaceRepository(ctx, spaceId), head, to)
}
