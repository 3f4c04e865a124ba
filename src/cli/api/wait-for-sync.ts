import { type Conflict, conflictLines } from '../output/conflict-lines.ts'
import { Failure } from '../output/failure.ts'
import { type FlagNames, inFlags } from '../output/in-flags.ts'
import { watch } from '../output/progress.ts'
import { callApi, Unreachable } from './call-api.ts'

/** A Git import or export, as the API returns it. */
export type SyncOperation = {
  id: string
  state: 'queued' | 'running' | 'success' | 'failure'
  stage?: string
  completedTasks: number
  dispatchedTasks: number
  revision?: string
  filesAdded?: number
  filesChanged?: number
  filesRemoved?: number
  /** What the imported revision contains that is not understood, in sentences. */
  findings?: string[]
  error?: string
  conflicts?: Conflict[]
}

const stages: Readonly<Record<string, string>> = {
  repo_fetch: 'fetching from the repository',
  config_check: 'checking its settings',
  content_process: 'reading the content',
  finalize: 'finishing',
}

const firstPauseMs = 100
const longestPauseMs = 1000
/** A restarting server resumes the operation, so waiting continues this long. */
const mostSilentMs = 60_000

/** Shows the progress of an import or export until it ends; returns its final state. */
export async function waitForSync(path: string): Promise<SyncOperation> {
  const progress = watch()
  let heard = performance.now()
  try {
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
      try {
        const operation = (await callApi('GET', path)).body as SyncOperation
        heard = performance.now()
        if (operation.state === 'success' || operation.state === 'failure') return operation
        const label = operation.state === 'queued' ? 'queued' : stageOf(operation)
        progress.show(label, operation.completedTasks, operation.dispatchedTasks)
      } catch (error) {
        if (!(error instanceof Unreachable) || performance.now() - heard > mostSilentMs) throw error
        progress.show('waiting for the server')
      }
      await new Promise(resolve => setTimeout(resolve, pause))
    }
  } finally {
    progress.end()
  }
}

/** Throws Failure with the message of a failed operation and the affected paths. */
export function checkSync(
  { state, error = 'The operation failed.', conflicts = [] }: SyncOperation,
  flags: FlagNames,
): void {
  if (state !== 'failure') return
  throw new Failure([inFlags(error, flags), ...conflictLines(conflicts)].join('\n'))
}

const stageOf = ({ stage }: SyncOperation): string =>
  stage === undefined ? 'starting' : (stages[stage] ?? stage)
