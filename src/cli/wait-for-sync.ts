import { callApi, type FlagNames, inFlags, Unreachable } from './call-api.ts'
import { Failure } from './failure.ts'
import { oneLine } from './print.ts'
import { watch } from './progress.ts'

/** A Git import or export, as the API tells of it. */
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
  error?: string
  conflicts?: { path: string; type: string }[]
}

const stages: Readonly<Record<string, string>> = {
  repo_fetch: 'talking to the repository',
  config_check: 'looking at its settings',
  content_process: 'reading the content',
  finalize: 'finishing',
}

const firstPauseMs = 100
const longestPauseMs = 1000
/** A server that starts again takes the operation up where it was, and so do we. */
const mostSilentMs = 60_000

/** Shows how an import or export goes, until it has ended; gives it as it is then. */
export async function waitForSync(path: string): Promise<SyncOperation> {
  const progress = watch()
  let heard = performance.now()
  try {
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
      try {
        const operation = (await callApi('GET', path)).body as SyncOperation
        heard = performance.now()
        if (operation.state === 'success' || operation.state === 'failure') return operation
        const label = operation.state === 'queued' ? 'waiting for its turn' : stageOf(operation)
        progress.show(label, operation.completedTasks, operation.dispatchedTasks)
      } catch (error) {
        if (!(error instanceof Unreachable) || performance.now() - heard > mostSilentMs) throw error
        progress.show('waiting for the server to come back')
      }
      await new Promise(resolve => setTimeout(resolve, pause))
    }
  } finally {
    progress.end()
  }
}

/** Throws Failure with the sentence of an operation that failed, and the paths it was about. */
export function checkSync(
  { state, error = 'It failed.', conflicts = [] }: SyncOperation,
  flags: FlagNames,
): void {
  if (state !== 'failure') return
  const paths = conflicts.map(({ path, type }) => `\n  ${oneLine(path)} (${type})`)
  throw new Failure(inFlags(error, flags) + paths.join(''))
}

const stageOf = ({ stage }: SyncOperation): string =>
  stage === undefined ? 'starting' : (stages[stage] ?? stage)
