import { join, relative } from 'node:path'
import { type Command, Option } from 'commander'
import { findBrokenLinks } from '../api/broken-links.ts'
import { callApi, Unreachable } from '../api/call-api.ts'
import { type Placed, placeSite, publishSite, type Site } from '../api/place-site.ts'
import { type FolderImport, sendFolder } from '../api/send-folder.ts'
import { Failure, failureOf } from '../output/failure.ts'
import { counted, oneLine, print, printJson } from '../output/print.ts'
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

/** A folder with the site that it is published on. */
type Publication = { source: Source; placed: Placed; options: Options; sent: string }

async function publish(folder: string, options: Options): Promise<void> {
  if (options.write) {
    await rewrite(folder, options)
    return
  }

  const source = openSource(folder, options.from)
  // Read first: a folder that cannot be published creates nothing.
  const { files, links, also, project } = await source.read()
  const watch = options.watch && (await watchFolder(folder, source.watched))

  try {
    const placed = await place(folder, project, options)
    for (const link of links)
      say(
        `Left out: ${oneLine(link)}, a symbolic link that leads to a folder or out of the published one.`,
      )

    for (const file of also) say(`Also published: ${oneLine(relative(process.cwd(), file))}`)

    const publication: Publication = { source, placed, options, sent: '' }
    const outcome = await send(publication, files)

    placed.site = await publishSite(options.org, placed.site)
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

async function place(folder: string, project: Project, options: Options): Promise<Placed> {
  const { org, site, title, space, unlisted, members } = options
  const audience = members ? 'members' : unlisted ? 'unlisted' : 'public'
  const name = site ?? (await nameSource(folder))
  const defaultTitle = project.title?.slice(0, longestTitle) ?? titleOf(name)

  try {
    // Without an answer, the reason is the address or the server, not the folder.
    await callApi('GET', '/v1/user')
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    throw new Failure(`${error.message} "stemma serve" starts a server on this machine.`)
  }

  const placed = await placeSite({
    ...{ org, name, title, defaultTitle, space, audience },
    isNamed: site !== undefined,
  })
  const verb = placed.made ? 'Created' : 'Updating'

  say(`${verb} the site "${placed.site.basename}" with the space ${placed.space}.`)

  return placed
}

/** Sends the present files; undefined if the server has them all since the last time. */
async function send(
  publication: Publication,
  files: ReadonlyMap<string, SentFile>,
): Promise<FolderImport | undefined> {
  const { placed, options } = publication
  const { message = `Publish ${placed.site.basename}`, force, replace } = options
  const list = JSON.stringify([...files].map(([path, { mode, oid }]) => [path, mode, oid]))
  if (list === publication.sent) return undefined
  const choices = { message, ...(force && { force }), ...(replace && { replace }) }
  const outcome = await sendFolder(placed.space, files, choices)
  publication.sent = list
  return outcome
}

/** Prints what was published: the address on stdout, the counts and broken links on stderr. */
async function report(
  { placed: { site, space }, options }: Publication,
  outcome: FolderImport | undefined,
  known: readonly string[],
): Promise<void> {
  const { revision, filesAdded, filesChanged, filesRemoved } = outcome ?? {}
  const broken = await findBrokenLinks(space)
  const findings = [...known, ...(outcome?.findings ?? []), ...(broken?.findings ?? [])]
  const brokenLinks = broken?.total

  if (options.json)
    printJson({
      ...{ site, space, revision, filesAdded, filesChanged, filesRemoved, findings, brokenLinks },
    })
  else {
    say(`${countsOf(outcome)}.`)
    for (const finding of findings) say(oneLine(finding))
    if (broken?.sentence) say(broken.sentence)
    print(addressOf(site))
  }
}

/** Returns the address of a site. Sites with share links have an address for each link only. */
const addressOf = ({ id, urls }: Site): string => urls.published ?? id

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
  const outcome = await send(publication, (await publication.source.read()).files)
  if (!outcome) return
  const { site, space } = publication.placed
  const time = new Date().toTimeString().slice(0, 8)

  if (publication.options.json)
    print(JSON.stringify({ site: site.id, space, ...outcome, missing: undefined }))
  else {
    print(`${time} ${countsOf(outcome)}: ${addressOf(site)}`)
    const broken = await findBrokenLinks(space)
    for (const finding of [...(outcome.findings ?? []), ...(broken?.findings ?? [])])
      say(oneLine(finding))
    if (broken?.sentence) say(broken.sentence)
  }
}

/** Prints a line for people, so that stdout contains only the result. */
const say = (line: string): void => void process.stderr.write(`${line}\n`)
