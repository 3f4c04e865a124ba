import { join } from 'node:path'
import type { Command } from 'commander'
import { callApi, listApi } from '../api/call-api.ts'
import { copySite } from '../copy/copy-site.ts'
import { oneLine, print, printJson, printTable } from '../output/print.ts'
import { watch } from '../output/progress.ts'
import { newGroup, newQuery } from './new-command.ts'

type Site = {
  id: string
  title: string
  visibility: string
  membersOnly?: boolean
  published: boolean
  urls: { published?: string }
}

type ShareLink = { urls: { published?: string } }

/** Defines `stemma site`: published sites, over HTTP. */
export const siteCommand = (): Command =>
  newGroup('site', 'Sites, which publish spaces', [
    onOrganization(
      newQuery(
        'create',
        'Create a site and print its id',
        'stemma site create --title Docs --space $SPACE',
      ),
    )
      .option('--title <title>', 'its title (default: that of the first space)')
      .option('--space <id...>', 'the spaces that it shows; the first is the default')
      .option(
        '--visibility <audience>',
        'public, unlisted, members, share-link or visitor-auth (default: public)',
      )
      .action(create),
    onOrganization(
      newQuery('list', 'List the sites you can see', 'stemma site list --json | jq -r ".[].id"'),
    ).action(list),
    ofSite(
      newQuery('publish', 'Publish a site and print its address', 'stemma site publish $SITE'),
    ).action(publish),
    ofSite(
      newQuery(
        'unpublish',
        'Take a site back: readers can no longer open it',
        'stemma site unpublish $SITE',
      ),
    ).action(unpublish),
    ofSite(
      newQuery(
        'share-link',
        'Create a share link of a site and print its address',
        'stemma site share-link $SITE --name Partners',
      ),
    )
      .option('--name <name>', 'its name, for lists of share links', 'Share link')
      .action(shareLink),
    newQuery(
      'download',
      'Write a copy of a published site as static pages, which open without a server',
      'stemma site download https://docs.example.org/ ./copy',
    )
      .argument(
        '<address>',
        'the address of the site, with the key of a share link if it needs one',
      )
      .argument('<folder>', 'a new or empty folder')
      .option('--visitor-token <token>', 'the token of a visitor, for sites that ask for one')
      .action(download),
  ])

const onOrganization = (command: Command): Command =>
  command.option('--org <id>', 'the organization it belongs to', 'default')

const ofSite = (command: Command): Command =>
  onOrganization(command.argument('<site>', 'the id of the site'))

type Options = { org: string; json?: true }

const sitesOf = (organization: string) => `/v1/orgs/${encodeURIComponent(organization)}/sites`

const siteOf = (organization: string, site: string) =>
  `${sitesOf(organization)}/${encodeURIComponent(site)}`

async function create({
  org,
  json,
  title,
  space: spaces,
  visibility,
}: Options & { title?: string; space?: string[]; visibility?: string }): Promise<void> {
  const given = {
    ...(title !== undefined && { title }),
    ...(spaces !== undefined && { spaces }),
    ...(visibility === 'members' ? { membersOnly: true } : visibility && { visibility }),
  }
  const flags = { title: '--title', spaces: '--space', visibility: '--visibility' }
  const { body } = await callApi('POST', sitesOf(org), given, flags)
  if (json) printJson(body)
  else print((body as Site).id)
}

async function list({ org, json }: Options): Promise<void> {
  const sites = await listApi<Site>(sitesOf(org))
  if (json) return printJson(sites)
  printTable(
    ['ID', 'TITLE', 'VISIBILITY', 'PUBLISHED', 'ADDRESS'],
    sites.map(({ id, title, visibility, membersOnly, published, urls }) => [
      id,
      title,
      membersOnly ? 'members' : visibility,
      published ? 'yes' : 'no',
      urls.published ?? '',
    ]),
  )
}

async function publish(site: string, { org, json }: Options): Promise<void> {
  const { body } = await callApi('POST', `${siteOf(org, site)}/publish`)
  // Sites with share links have an address for each link only.
  if (json) printJson(body)
  else if ((body as Site).urls.published) print((body as Site).urls.published ?? '')
  else
    process.stderr.write(
      `The site is published and has no address yet: "stemma site share-link ${site}" creates one.\n`,
    )
}

async function unpublish(site: string, { org, json }: Options): Promise<void> {
  const { body } = await callApi('POST', `${siteOf(org, site)}/unpublish`)
  if (json) printJson(body)
  else print((body as Site).id)
}

async function shareLink(
  site: string,
  { org, json, name }: Options & { name: string },
): Promise<void> {
  const { body } = await callApi(
    'POST',
    `${siteOf(org, site)}/share-links`,
    { name },
    { name: '--name' },
  )
  if (json) printJson(body)
  else print((body as ShareLink).urls.published ?? '')
}

async function download(
  address: string,
  folder: string,
  { json, visitorToken }: { json?: true; visitorToken?: string },
): Promise<void> {
  const progress = watch(json)
  const onFile = (done: number, of: number): void => progress.show('files', done, of)
  const { files, missing } = await copySite({ address, folder, visitorToken, onFile }).finally(
    progress.end,
  )
  const index = join(folder, 'index.html')
  if (json) return printJson({ index, files, missing })
  for (const each of missing)
    process.stderr.write(`${oneLine(each)} leads to nothing and was left out.\n`)
  print(index)
}
