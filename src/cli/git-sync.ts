import type { Command } from 'commander'
import { callApi, type FlagNames } from './call-api.ts'
import { exitUsage, Failure } from './failure.ts'
import { newQuery } from './new-command.ts'
import { counted, print, printJson } from './print.ts'
import { checkSync, type SyncOperation, waitForSync } from './wait-for-sync.ts'

type SyncOptions = {
  url?: string
  ref: string
  directory?: string
  force?: true
  replace?: true
  timestamp?: string
  wait?: true
  json?: true
  standalone?: true
  message?: string
}

const secretHint =
  'A URL with credentials is better not on the command line: STEMMA_REMOTE_URL is read where --url is not said.'

/** The flags that set the fields of a body. */
const flags: FlagNames = {
  url: '--url',
  ref: '--ref',
  repoProjectDirectory: '--directory',
  timestamp: '--timestamp',
  force: '--force',
  standalone: '--standalone',
  commitMessage: '--message',
}

const withRemote = (command: Command): Command =>
  command
    .argument('<space>', 'the id of the space')
    .option('--url <url>', 'the repository (default: STEMMA_REMOTE_URL of the environment)')
    .option('--ref <branch>', 'the branch, "main" or "refs/heads/main"', 'main')
    .option('--directory <path>', 'the folder of the project in the repository (default: all of it)')
    .option(
      '--timestamp <time>',
      'when it was triggered, e.g. 2026-11-21T12:00:00Z: one older than the last is refused',
    )
    .option('--wait', 'show progress until the end; exit 1 when it fails')

/** `stemma import`: a branch of a Git repository into a space. */
export const importCommand = (): Command =>
  withRemote(
    newQuery(
      'import',
      `Import a branch of a Git repository into a space. ${secretHint}`,
      'stemma import 3vJ0qX… --url https://example.org/docs.git --ref main --wait',
    ).summary('Import a branch of a Git repository into a space'),
  )
    .option('--force', 'let the repository win where both differ; files that only the space has stay')
    .option('--replace', 'make the space have the files of the repository and no others')
    .option('--standalone', 'make a revision of it, and leave the content of the space as it is')
    .action((space: string, options: SyncOptions) => sync('import', space, options))

/** `stemma export`: a space to a branch of a Git repository. */
export const exportCommand = (): Command =>
  withRemote(
    newQuery(
      'export',
      `Export a space to a branch of a Git repository. ${secretHint}`,
      'stemma export 3vJ0qX… --url https://example.org/docs.git --message "Publish the handbook" --wait',
    ).summary('Export a space to a branch of a Git repository'),
  )
    .requiredOption('--message <text>', 'the message of the commit')
    .option('--force', 'let the space win where both differ; files that only the repository has stay')
    .option('--replace', 'make the branch have the files of the space and no others')
    .action((space: string, options: SyncOptions) => sync('export', space, options))

async function sync(direction: 'import' | 'export', space: string, options: SyncOptions): Promise<void> {
  const url = options.url ?? process.env.STEMMA_REMOTE_URL
  if (!url)
    throw new Failure('Say which repository: --url, or STEMMA_REMOTE_URL in the environment.', exitUsage)
  checkTime(options.timestamp)
  const path = `/v1/spaces/${encodeURIComponent(space)}/git`
  const started = await callApi('POST', `${path}/${direction}`, bodyOf(direction, url, options), flags)
  // The server may know itself by another address than we do: only the id is taken.
  const id = started.headers.get('location')?.split('/').at(-1)
  if (!id) throw new Failure('The server did not say where the operation is: is it of another version?')
  const at = `${path}/operations/${encodeURIComponent(id)}`
  const operation = options.wait ? await waitForSync(at) : ((await callApi('GET', at)).body as SyncOperation)
  if (options.json) printJson(operation)
  checkSync(operation, flags)
  if (options.json) return
  if (operation.state === 'success') {
    print(operation.revision ?? id)
    printFiles(direction, operation)
  } else print(`The ${direction} ${id} has begun. --wait waits for its end.`)
}

/** Says on stderr what an operation did, so that stdout has nothing but the revision. */
function printFiles(direction: 'import' | 'export', operation: SyncOperation): void {
  const { filesAdded: added, filesChanged: changed, filesRemoved: removed } = operation
  if (added === undefined || changed === undefined || removed === undefined) return
  const where = direction === 'import' ? 'In the space' : 'In the repository'
  const said = `${where}: ${counted(added, 'file')} added, ${changed} changed, ${removed} removed.`
  process.stderr.write(`${said}\n`)
}

function checkTime(time: string | undefined): void {
  const good =
    time === undefined ||
    (/^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:\d\d)$/.test(time) && !Number.isNaN(Date.parse(time)))
  if (!good)
    throw new Failure(`--timestamp is "${time}"; it takes a time such as 2026-11-21T12:00:00Z.`, exitUsage)
}

const bodyOf = (direction: 'import' | 'export', url: string, options: SyncOptions) => ({
  url,
  ref: options.ref.startsWith('refs/') ? options.ref : `refs/heads/${options.ref}`,
  ...(options.directory !== undefined && { repoProjectDirectory: options.directory }),
  ...(options.timestamp !== undefined && { timestamp: options.timestamp }),
  ...(options.force && { force: true }),
  ...(options.replace && { replace: true }),
  ...(direction === 'import' && options.standalone && { standalone: true }),
  ...(direction === 'export' && { commitMessage: options.message }),
})
