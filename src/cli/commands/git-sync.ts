import type { Command } from 'commander'
import { callApi } from '../api/call-api.ts'
import { checkSync, type SyncOperation, waitForSync } from '../api/wait-for-sync.ts'
import { type Clone, readClone } from '../clone/read-clone.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import type { FlagNames } from '../output/in-flags.ts'
import { counted, oneLine, print, printJson } from '../output/print.ts'
import { newQuery } from './new-command.ts'

type SyncOptions = {
  url?: string
  ref?: string
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
  'Put a URL with credentials into STEMMA_REMOTE_URL rather than on the command line; it is used when --url is not given. Without either, the remote "origin" of the clone in the current folder is used, with its branch and folder.'

/** The flags that set the fields of the request body. */
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
    .option(
      '--url <url>',
      'the repository (default: STEMMA_REMOTE_URL, or that of the current clone)',
    )
    .option(
      '--ref <branch>',
      'the branch, "main" or "refs/heads/main" (default: that of the current clone, or main)',
    )
    .option(
      '--directory <path>',
      'the folder of the project in the repository (default: the current folder of the clone, or the root)',
    )
    .option(
      '--timestamp <time>',
      'when it was triggered, e.g. 2026-11-21T12:00:00Z; an older one than the last is refused',
    )
    .option('--wait', 'show progress until the end; exit 1 when it fails')

/** Defines `stemma import`: imports a branch of a Git repository into a space. */
export const importCommand = (): Command =>
  withRemote(
    newQuery(
      'import',
      `Import a branch of a Git repository into a space. ${secretHint}`,
      'stemma import 3vJ0qX… --url https://example.org/docs.git --ref main --wait',
    ).summary('Import a branch of a Git repository into a space'),
  )
    .option(
      '--force',
      'take the version of the repository in conflicts; files that exist only in the space stay',
    )
    .option('--replace', 'replace all files of the space with those of the repository')
    .option('--standalone', 'create a revision without changing the content of the space')
    .action((space: string, options: SyncOptions) => sync('import', space, options))

/** Defines `stemma export`: exports a space to a branch of a Git repository. */
export const exportCommand = (): Command =>
  withRemote(
    newQuery(
      'export',
      `Export a space to a branch of a Git repository. ${secretHint}`,
      'stemma export 3vJ0qX… --url https://example.org/docs.git --message "Publish the handbook" --wait',
    ).summary('Export a space to a branch of a Git repository'),
  )
    .requiredOption('--message <text>', 'the commit message')
    .option(
      '--force',
      'take the version of the space in conflicts; files that exist only in the repository stay',
    )
    .option('--replace', 'replace all files of the branch with those of the space')
    .option('--standalone', 'leave the space as it is, without remembering the repository')
    .action((space: string, options: SyncOptions) => sync('export', space, options))

async function sync(
  direction: 'import' | 'export',
  space: string,
  options: SyncOptions,
): Promise<void> {
  const source = await sourceOf(direction, options)
  const path = `/v1/spaces/${encodeURIComponent(space)}/git`
  const started = await callApi(
    'POST',
    `${path}/${direction}`,
    bodyOf(direction, source, options),
    flags,
  )

  // Only the id is used: the server may know itself by another address than the client.
  const id = started.headers.get('location')?.split('/').at(-1)

  if (!id)
    throw new Failure(
      'The server did not return the address of the operation. It may be running a different version.',
    )

  const at = `${path}/operations/${encodeURIComponent(id)}`
  const operation = options.wait
    ? await waitForSync(at)
    : ((await callApi('GET', at)).body as SyncOperation)
  if (options.json) printJson(operation)
  checkSync(operation, flags)
  if (options.json) return

  if (operation.state === 'success') {
    print(operation.revision ?? id)
    printFiles(direction, operation)
    for (const finding of operation.findings ?? []) process.stderr.write(`${oneLine(finding)}\n`)
  } else print(`The ${direction} ${id} has started. Use --wait to wait until it finishes.`)
}

type Source = { url: string; ref: string; directory: string | undefined }

/**
 * Returns the repository, branch and folder to use: from the options, the environment, or the clone
 * in the current folder.
 */
async function sourceOf(direction: 'import' | 'export', options: SyncOptions): Promise<Source> {
  const url = options.url ?? process.env.STEMMA_REMOTE_URL
  if (url) return { url, ref: options.ref ?? 'main', directory: options.directory }
  const clone = await readClone(process.cwd())

  if (!clone?.url)
    throw new Failure(
      'Name the repository with --url or STEMMA_REMOTE_URL, or run the command in a clone with a remote "origin".',
      exitUsage,
    )

  if (!/^https?:\/\//.test(clone.url))
    throw new Failure(
      'The remote "origin" of this clone does not have an http or https URL, which the server needs. Name the repository with --url.',
      exitUsage,
    )

  const ref = options.ref ?? clone.branch
  if (ref === undefined)
    throw new Failure('This clone is not on a branch. Name the branch with --ref.', exitUsage)
  if (direction === 'import') warnOfLocal(clone)

  return { url: clone.url, ref, directory: options.directory ?? (clone.directory || undefined) }
}

/** Says on stderr what the remote lacks: the server imports from the remote, not from the clone. */
function warnOfLocal({ unpushed, uncommitted }: Clone): void {
  if (uncommitted > 0)
    process.stderr.write(
      `${counted(uncommitted, 'file')} with uncommitted changes: these are not imported.\n`,
    )
  if (unpushed > 0)
    process.stderr.write(`${counted(unpushed, 'commit')} not pushed to the remote: not imported.\n`)
}

/** Prints on stderr what an operation changed, so that stdout contains only the revision. */
function printFiles(direction: 'import' | 'export', operation: SyncOperation): void {
  const { filesAdded: added, filesChanged: changed, filesRemoved: removed } = operation
  if (added === undefined || changed === undefined || removed === undefined) return
  const where = direction === 'import' ? 'In the space' : 'In the repository'
  const said = `${where}: ${counted(added, 'file')} added, ${changed} changed, ${removed} removed.`
  process.stderr.write(`${said}\n`)
}

const bodyOf = (
  direction: 'import' | 'export',
  { url, ref, directory }: Source,
  options: SyncOptions,
) => ({
  url,
  ref: ref.startsWith('refs/') ? ref : `refs/heads/${ref}`,
  ...(directory !== undefined && { repoProjectDirectory: directory }),
  ...(options.timestamp !== undefined && { timestamp: options.timestamp }),
  ...(options.force && { force: true }),
  ...(options.replace && { replace: true }),
  ...(options.standalone && { standalone: true }),
  ...(direction === 'export' && { commitMessage: options.message }),
})
