import type { Change } from '../../content/edit/changes.ts'
import type { Converted } from '../../content/importing/convert.ts'
import { filesOf, type ImportPlan } from '../../content/importing/plan.ts'
import type { Context } from '../../context.ts'
import { Fault, missing, reasonOfJob } from '../../errors.ts'
import { mustGet } from '../../lib/must-get.ts'
import { runThread, ThreadError } from '../../lib/thread.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { findUser } from '../../store/people/users.ts'
import { changeWaitingImportRun, findImportRun } from '../../store/spaces/import-runs.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { ImportRunRow } from '../../store/tables/rows.ts'
import { editContent } from '../edit/edit-content.ts'
import type { Edited } from '../edit/edit-order.ts'
import { withWorkFolder } from '../made-files/work-folder.ts'
import { bytesAt, removeUsedUploads, useUploadFiles } from '../uploads/use-uploads.ts'

/** A run fails after this many attempts that ended with an internal error. */
const mostAttempts = 3
/** A run fails after this many starts that were never finished: one less than the worker makes. */
const mostStarts = 4
/** What the thread that reads the files may use. */
const threadLimits = { ms: 120_000, megabytes: 512 }
const mostEntries = 10_000
const mostBytes = 100 * 1024 ** 2

/** Thrown to end an attempt of a run that was cancelled meanwhile. */
class Cancelled extends Error {}

/** Thrown for files that cannot be imported, with a sentence for the person who sent them. */
class Refused extends Error {}

type Attempt = { signal: AbortSignal; attempt: number; checkLease?: () => void }

/**
 * Makes the files of a run pages of its space, as one commit. The outcome is recorded in the run, in
 * the transaction that moves the branch. Safe to run again after a stop at any point. Throws when the
 * signal is aborted, and errors to be retried.
 */
export async function runImport(ctx: Context, runId: string, about: Attempt): Promise<void> {
  about.signal.throwIfAborted()
  const run = findImportRun(ctx.store, runId)
  if (!run) return
  const { organization_id: organizationId, created_by: userId, files: keys } = run
  if (!begin(ctx, run)) {
    // The server stopped after the commit, or a restart completed it.
    if (run.status === 'completed') await removeUsedUploads(ctx, { userId, keys })
    return
  }

  try {
    if (about.attempt > mostStarts)
      throw new Refused('The server repeatedly stopped while it read these files.')
    await useUploadFiles(ctx, { organizationId, userId, keys }, files =>
      withWorkFolder(ctx, async folder => {
        const plan = await convert(ctx, run, { files, folder }, about.signal)
        await write(ctx, run, plan, about)
      }),
    )
  } catch (error) {
    if (error instanceof Cancelled) return
    if (about.signal.aborted) throw error
    ctx.store.transact(() => about.checkLease?.())
    endWithError(ctx, run, about.attempt, error)
  }
}

/** Records that a run has started. Returns false for one that has ended. */
function begin(ctx: Context, { id, started_at }: ImportRunRow): boolean {
  const time = ctx.now().toISOString()
  const set = { status: 'in-progress', started_at: started_at ?? time, updated_at: time } as const
  return changeWaitingImportRun(ctx.store, id, set) > 0
}

/** Reads the files in a thread, and records the pages that they will be. */
async function convert(
  ctx: Context,
  run: ImportRunRow,
  { files, folder }: { files: readonly { name: string; path: string }[]; folder: string },
  signal: AbortSignal,
): Promise<ImportPlan> {
  const input = {
    files: files.map(({ name, path }) => ({ name, path })),
    folder,
    limits: {
      entries: mostEntries,
      bytes: Math.max(mostBytes, ctx.config.maxUploadBytes),
      fileBytes: ctx.config.maxUploadBytes,
    },
    prefix: `import-${run.id}`,
    into: run.page_id,
  }
  const read = await runThread<Converted>('convert-import', input, { ...threadLimits, signal })
  const pages =
    'refused' in read ? [] : read.pages.map(({ ref, ...page }) => ({ id: ref, ...page }))
  const { findings } = read
  const updated_at = ctx.now().toISOString()
  changeWaitingImportRun(ctx.store, run.id, { pages, findings, updated_at })
  if ('refused' in read) throw new Refused(read.refused)

  return read
}

async function write(
  ctx: Context,
  run: ImportRunRow,
  plan: ImportPlan,
  { checkLease }: Attempt,
): Promise<void> {
  const space = findSpace(ctx.store, run.space_id)
  const by = findUser(ctx.store, run.created_by)
  if (!space || !by) throw missing('space', run.space_id)
  const { change_request_id: request } = run
  const changeRequest =
    request === null ? undefined : findChangeRequest(ctx.store, space.id, request)
  if (request !== null && !changeRequest) throw missing('change request', request)
  const changes = [...filesOf(await filesIn(plan)), ...plan.changes]

  try {
    await editContent<Partial<ImportRunRow>>(ctx, {
      ...{ space, changeRequest, by, changes },
      message: plan.pages.length === 1 ? `Import ${plan.pages[0]!.title}` : undefined,
      job: {
        check: () => {
          checkLease?.()
          const now = findImportRun(ctx.store, run.id)
          if (now?.status !== 'in-progress') throw new Cancelled()
        },
        effects: set => [{ do: 'update-import-run', id: run.id, set }],
      },
      present: async edited => endOf(ctx, plan, edited),
    })
  } catch (error) {
    throw error instanceof Fault ? namingFile(error, changes, plan) : error
  }
}

const filesIn = ({ files }: ImportPlan) =>
  Promise.all(
    files.map(async ({ name, ref, kept }) => ({ name, ref, ...(await bytesAt(name, kept)) })),
  )

/** Returns the columns of a run that is completed. */
function endOf(
  ctx: Context,
  { pages }: ImportPlan,
  { revision, outcomes }: Edited,
): Partial<ImportRunRow> {
  const time = ctx.now().toISOString()
  const ids = new Map(outcomes.map(({ ref, page }) => [ref, page]))
  return {
    status: 'completed',
    pages: pages.map(({ ref, ...page }) => ({ id: mustGet(ids, ref), ...page })),
    revision,
    updated_at: time,
    completed_at: time,
  }
}

/** Returns the fault of a change with the file that it comes from instead of its number. */
function namingFile(fault: Fault, changes: readonly Change[], { pages }: ImportPlan): Fault {
  const change = changes[Number(fault.detail?.index)]
  const page = change && 'ref' in change && pages.find(({ ref }) => ref === change.ref)
  const message = fault.message.replace(/^Change \d+ \(\w+\): /, page ? `"${page.path}": ` : '')
  return new Fault(fault.reason, message, fault.detail)
}

/** Fails a run for an error that its maker can act on, or after the last attempt; throws others. */
function endWithError(ctx: Context, run: ImportRunRow, attempt: number, error: unknown): void {
  const reason = reasonOf(error)
  if (reason === undefined) {
    ctx.log.error({ run: run.id, err: String(error) }, 'import failed with an internal error')
    if (attempt < mostAttempts) throw error
  }
  const time = ctx.now().toISOString()
  changeWaitingImportRun(ctx.store, run.id, {
    status: 'failed',
    reason: reason ?? reasonOfJob(error, run.space_id),
    updated_at: time,
    completed_at: time,
  })
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof Refused) return error.message
  // The space cannot be written now.
  if (error instanceof Fault) return error.kind === 'unavailable' ? undefined : error.message
  if (!(error instanceof ThreadError)) return undefined
  if (error.why === 'timeout') return 'Reading these files takes too long. Import them in parts.'
  if (error.why === 'memory')
    return 'Reading these files takes too much memory. Import them in parts.'
  return undefined
}
