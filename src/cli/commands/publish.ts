import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Command, Option } from 'commander'
import { findBrokenLinks } from '../api/broken-links.ts'
import { Refused, Unreachable } from '../api/call-api.ts'
import { findFindings } from '../api/find-findings.ts'
import { longestSubject, type OpenRequest, openRequest } from '../api/open-request.ts'
import { findPlace, placeSite, publishSite, type Site } from '../api/place-site.ts'
import { type FolderImport, sendFolder } from '../api/send-folder.ts'
import { exitUsage, Failure, failureOf } from '../output/failure.ts'
import { counted, oneLine, print, printJson } from '../output/print.ts'
import type { SourceCommit } from '../source/date-files.ts'
import { type Project, toolNames } from '../source/find-project.ts'
import { nameSource, titleOf } from '../source/name-source.ts'
import { openSource, type SentFile, type Source } from '../source/read-source.ts'
import { rewriteSource } from '../source/rewrite-source.ts'
import { type FolderWatch, watchFolder } from '../source/watch-folder.ts'
import { newQuery } from './new-command.ts'

type Options = {
  org: string
  site?: string
  title?: string
  space?: string
  message?: string
  unlisted?: true
  members?: true
  changeRequest?: true | string
  force?: true
  replace?: true
  watch?: true
  from?: string
  write?: true
  json?: true
}

const about =
  'Publish the files of a folder as a site, and print its address. The first time, this creates a space and a site named after the folder or its repository; after that, it updates them. In a Git repository, files that .gitignore names are left out; everywhere, node_modules, symbolic links to other folders, and names that begin with a dot, apart from .gitbook and .gitbook.yaml.'

/** Defines `stemma publish`: a folder as a site, over HTTP. */
export const publishCommand = (): Command =>
  newQuery('publish', about, 'stemma publish ./docs --watch')
    .summary('Publish the files of a folder as a site, and print its address')
    .argument('[folder]', 'the folder of the documentation', '.')
    .option(
      '--site <name>',
      'the name of the site in addresses (default: that of the folder or repository)',
    )
    .option('--title <title>', 'the title of the site')
    .option('--space <id>', 'the space to update (default: the first space of the site)')
    .option('--org <id>', 'the organization of the site', 'default')
    .addOption(
      new Option(
        '--change-request [subject]',
        'send the folder into the open change request of this subject, or a new one, and publish nothing (default: "Update from" and the name of the site)',
      ).conflicts(['title', 'unlisted', 'members', 'write']),
    )
    .option('--unlisted', 'hide the site from search engines')
    .option('--members', 'only members of the organization read the site, after signing in')
    .option('--message <text>', 'the commit message (default: "Publish" and the name of the site)')
    .option('--force', 'take the version of the folder in conflicts; other files of the space stay')
    .option('--replace', 'replace all files of the space with those of the folder')
    .addOption(
      new Option(
        '--from <tool>',
        'the tool that the folder is made for (default: what its settings say)',
      ).choices(toolNames),
    )
    .option(
      '--write',
      'with --from: write SUMMARY.md, .gitbook.yaml and what else the settings of the tool say into the folder, and publish nothing; --force does so in a folder with changes that are not committed',
    )
    .option('--watch', 'publish again after every change, until Ctrl+C')
    .action(publish)

/** What a folder is sent into: the space of a site, or a change request of a space. */
type Target =
  | { space: string; site: Site; request?: undefined }
  | { space: string; site?: undefined; request: OpenRequest }

type Publication = { source: Source; target: Target; options: Options; sent: string }

async function publish(folder: string, options: Options): Promise<void> {
  if (options.write) {
    await rewrite(folder, options)
    return
  }

  checkIsSubject(folder, options)
  const source = openSource(folder, options.from)
  // Read first: a folder that cannot be published creates nothing.
  const folderNow = await source.read()
  const { links, also, project } = folderNow
  const watch = options.watch && (await watchFolder(folder, source.watched))

  try {
    const target = await (options.changeRequest === undefined
      ? place(folder, project, options)
      : propose(folder, options.changeRequest, options))
    for (const link of links)
      say(
        `Left out: ${oneLine(link)}, a symbolic link that leads to a folder, out of the published one or to a file that is left out, such as one that Git ignores.`,
      )

    for (const file of also) say(`Also published: ${oneLine(relative(process.cwd(), file))}`)

    const publication: Publication = { source, target, options, sent: '' }
    const outcome = await send(publication, folderNow)

    if (target.site) target.site = await publishSite(options.org, target.site)
    await report(publication, outcome, project.findings)
    if (watch) await follow(publication, watch)
  } finally {
    if (watch) watch.end()
  }
}

/** Writes what another tool says about a folder into it; the command for the next step follows. */
async function rewrite(folder: string, { from, force, json }: Options): Promise<void> {
  if (from === undefined)
    throw new Failure(`"--write" needs the name of the tool: "--from" ${toolNames.join(', ')}.`)
  const { written, findings } = await rewriteSource(folder, from, force === true)

  if (json) printJson({ written, findings })
  else {
    for (const path of written) print(`Wrote ${oneLine(join(folder, path))}`)
    for (const finding of findings) say(oneLine(finding))
    say(
      `The settings of ${from} no longer count. Publish with "stemma publish ${oneLine(folder)}".`,
    )
  }
}

/** The longest title of a site. */
const longestTitle = 100

async function place(folder: string, project: Project, options: Options): Promise<Target> {
  const { org, site, title, space, unlisted, members } = options
  const audience = members ? 'members' : unlisted ? 'unlisted' : 'public'
  const name = site ?? (await nameSource(folder))
  const defaultTitle = project.title?.slice(0, longestTitle) ?? titleOf(name)

  const placed = await placeSite({
    ...{ org, name, title, defaultTitle, space, audience },
    isNamed: site !== undefined,
  }).catch(nameTheServer)
  const verb = placed.made ? 'Created' : 'Updating'

  say(`${verb} the site "${placed.site.basename}" with the space ${placed.space}.`)

  return placed
}

/** Throws the failure of a server that does not answer with what to do about it. */
function nameTheServer(error: unknown): never {
  if (!(error instanceof Unreachable)) throw error
  throw new Failure(`${error.message} "stemma serve" starts a server on this machine.`)
}

/** Throws Failure if a folder was given as the subject of a change request. */
function checkIsSubject(folder: string, { changeRequest: given }: Options): void {
  if (folder !== '.' || typeof given !== 'string') return
  if (!statSync(given, { throwIfNoEntry: false })?.isDirectory()) return
  throw new Failure(
    `"--change-request" takes a subject, and ${oneLine(given)} is a folder. Name the folder first: "stemma publish ${oneLine(given)} --change-request".`,
    exitUsage,
  )
}

/** Finds the change request that the folder is sent into, or opens it. */
async function propose(
  folder: string,
  given: true | string,
  { org, site, space: named }: Options,
): Promise<Target> {
  const name = site ?? (await nameSource(folder))
  const place = { org, name, isNamed: site !== undefined, space: named }
  const space = await findPlace(place).catch(nameTheServer)
  const said = given === true ? '' : given.trim()
  const subject = said || `Update from ${name}`.slice(0, longestSubject)
  const request = await openRequest(pathOf({ space }), subject).catch(nameTheServer)

  say(`Change request #${request.number} of the space ${space}: ${oneLine(request.subject)}`)

  return { space, request }
}

/** Returns the path in the API of a space, or of a change request of it. */
const pathOf = ({ space, request }: { space: string; request?: OpenRequest | undefined }): string =>
  `/v1/spaces/${encodeURIComponent(space)}${request ? `/change-requests/${request.number}` : ''}`

/** Sends the present files; undefined if the server has them all since the last time. */
async function send(
  publication: Publication,
  { files, commit }: { files: ReadonlyMap<string, SentFile>; commit: SourceCommit | undefined },
): Promise<FolderImport | undefined> {
  const { target, options } = publication
  const list = JSON.stringify(
    [...files].map(([path, { file: _, size: __, ...sent }]) => [path, sent]),
  )
  if (list === publication.sent) return undefined

  const named = target.request ? target.request.subject : `Publish ${target.site.basename}`
  const { message = `${named}${commit ? ` (${nameOf(commit)})` : ''}`, force, replace } = options
  const sending = sendFolder(pathOf(target), files, {
    ...{ message, force, replace },
    commit: commit?.isWhole ? commit.id : undefined,
  })
  const outcome = await (target.request ? sending : sending.catch(nameTheOption))
  publication.sent = list

  return outcome
}

const nameOf = ({ id, isWhole }: SourceCommit): string =>
  `${id.slice(0, 12)}${isWhole ? '' : ' and uncommitted changes'}`

/** Throws the refusal of a change without a change request with the option that makes one. */
function nameTheOption(error: unknown): never {
  const needsRequest =
    error instanceof Refused &&
    (error.reason === 'space_locked' || error.reason === 'change_request_required')
  if (!needsRequest) throw error
  throw new Failure(
    `${error.message} With "--change-request", this command sends the folder as one.`,
  )
}

/** Prints what was sent: the address on stdout, the counts and broken links on stderr. */
async function report(
  { target, options }: Publication,
  outcome: FolderImport | undefined,
  known: readonly string[],
): Promise<void> {
  const { revision, filesAdded, filesChanged, filesRemoved } = outcome ?? {}
  const broken = await findBrokenLinks(pathOf(target))
  const found = await findFindings(pathOf(target))
  const findings = [...known, ...(found?.sentences ?? outcome?.findings ?? [])]
  const brokenLinks = broken?.total
  const findingCounts = found?.counts
  const { space } = target
  const into = target.request ? { changeRequest: target.request } : { site: target.site }

  if (options.json)
    printJson({
      ...into,
      ...{ space, revision, filesAdded, filesChanged, filesRemoved },
      ...{ findings, findingCounts, brokenLinks },
    })
  else {
    say(`${countsOf(outcome)}.`)
    for (const finding of findings) say(oneLine(finding))
    if (broken?.sentence) say(broken.sentence)
    print(addressOf(target))
  }
}

/**
 * Returns the address of a site or a change request. Sites with share links have an address for
 * each link only.
 */
const addressOf = (target: Target): string =>
  target.request ? target.request.urls.app : (target.site.urls.published ?? target.site.id)

function countsOf({
  filesAdded: added,
  filesChanged: changed,
  filesRemoved: removed,
}: Partial<FolderImport> = {}): string {
  if (added === undefined || changed === undefined || removed === undefined) return 'Published'
  if (added + changed + removed === 0) return 'Nothing has changed'
  return `${counted(added, 'file')} added, ${changed} changed, ${removed} removed`
}

/** How long to wait before the next attempt while the server does not answer, in milliseconds. */
const againMs = 2_000

/**
 * Publishes after every change until the process is told to end. A failure is printed, and the next
 * change tried.
 */
async function follow(publication: Publication, watch: FolderWatch): Promise<void> {
  const end = () => watch.end()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  say('Watching for changes. Press Ctrl+C to end.')

  while (await watch.changed()) {
    try {
      await publishAgain(publication)
    } catch (error) {
      say(failureOf(error).sentence)
      if (error instanceof Unreachable) setTimeout(() => watch.touch(), againMs).unref()
    }
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end)
}

async function publishAgain(publication: Publication): Promise<void> {
  const outcome = await send(publication, await publication.source.read())
  if (!outcome) return
  const { target, options } = publication
  const time = new Date().toTimeString().slice(0, 8)

  if (options.json) {
    const into = target.request
      ? { changeRequest: target.request.number }
      : { site: target.site.id }
    print(JSON.stringify({ ...into, space: target.space, ...outcome, missing: undefined }))
  } else {
    print(`${time} ${countsOf(outcome)}: ${addressOf(target)}`)
    const broken = await findBrokenLinks(pathOf(target))
    const found = await findFindings(pathOf(target))
    for (const finding of found?.sentences ?? outcome.findings ?? []) say(oneLine(finding))
    if (broken?.sentence) say(broken.sentence)
  }
}

/** Prints a line for people, so that stdout contains only the result. */
const say = (line: string): void => void process.stderr.write(`${line}\n`)
