import { type Command, Option } from 'commander'
import { callApi, listApi } from '../api/call-api.ts'
import { type Conflict, conflictLines, legend } from '../output/conflict-lines.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { print, printJson, printTable } from '../output/print.ts'
import { newGroup, newQuery } from './new-command.ts'

type ChangeRequest = {
  id: string
  number: number
  status: string
  subject: string
  updatedAt: string
  urls: { app: string; location: string }
}
type Outcome = {
  revision: string
  result: string
  conflicts?: Conflict[]
  changeRequest?: ChangeRequest
}

const onOne = (name: string, about: string): Command =>
  newQuery(name, about, `stemma change-request ${name} 3vJ0qX… 12`)
    .argument('<space>', 'the id of the space')
    .argument('<number>', 'the number of the change request')

/** Defines `stemma change-request`: change requests, over HTTP. */
export const changeRequestCommand = (): Command =>
  newGroup('change-request', 'Change requests', [
    newQuery(
      'create',
      'Create a change request and print its number',
      'stemma change-request create 3vJ0qX… --subject "Fix the install page"',
    )
      .argument('<space>', 'the id of the space')
      .requiredOption('--subject <text>', 'its subject')
      .action(create),
    newQuery(
      'list',
      'List change requests, newest first',
      'stemma change-request list 3vJ0qX… --status merged',
    )
      .argument('<space>', 'the id of the space')
      .addOption(
        new Option(
          '--status <status>',
          'only change requests with this status (default: open)',
        ).choices(['draft', 'open', 'archived', 'merged']),
      )
      .action(list),
    onOne('merge', 'Merge a change request; exits with 1 when there are conflicts')
      .option(
        '--bypass-rules',
        'as an admin, merge although merge rules are not met; the audit log says so',
      )
      .action(decide('merge')),
    onOne(
      'update',
      'Update a change request with the content of the space; exits with 1 when there are conflicts',
    )
      .addOption(
        new Option(
          '--take <side>',
          'in conflicts, take ours (the change request) or theirs',
        ).choices(['ours', 'theirs']),
      )
      .action(decide('update')),
    revertCommand(),
    newQuery(
      'review',
      'Review a change request and print the id of the review',
      'stemma change-request review 3vJ0qX… 12 --approve -m "Reads well."',
    )
      .argument('<space>', 'the id of the space')
      .argument('<number>', 'the number of the change request')
      .option('--approve', 'approve merging')
      .option('--request-changes', 'request changes before merging')
      .option('-m, --message <text>', 'a comment, in Markdown')
      .option('--revision <id>', 'the reviewed revision; refused when there is a newer one')
      .action(review),
    previewLinkCommand(),
    conflictsCommand(),
    diffCommand(),
  ])

const requestsOf = (space: string) => `/v1/spaces/${encodeURIComponent(space)}/change-requests`

function pathOf(space: string, number: string): string {
  if (!/^[1-9]\d{0,8}$/.test(number))
    throw new Failure(`"${number}" is not a change request number such as 12.`, exitUsage)
  return `${requestsOf(space)}/${number}`
}

async function create(
  space: string,
  { subject, json }: { subject: string; json?: true },
): Promise<void> {
  const { body } = await callApi('POST', requestsOf(space), { subject }, { subject: '--subject' })
  if (json) return printJson(body)
  const { number, urls } = body as ChangeRequest
  print(String(number))
  console.error(`In a browser: ${urls.app}`)
}

const previewLinkCommand = (): Command =>
  newQuery(
    'preview-link',
    'Create an address that shows a change request to everyone who has it, and print it',
    'stemma change-request preview-link 3vJ0qX… 12 --days 7',
  )
    .argument('<space>', 'the id of the space')
    .argument('<number>', 'the number of the change request')
    .option('--days <days>', 'after how many days it ends, 1 to 90', Number, 14)
    .option('--site <id>', 'the site that shows it (default: the oldest that has the space)')
    .action(previewLink)

async function previewLink(
  space: string,
  number: string,
  { json, days, site }: { json?: true; days: number; site?: string },
): Promise<void> {
  const path = `${pathOf(space, number)}/preview-links`
  const given = { days, ...(site !== undefined && { site }) }
  const { body } = await callApi('POST', path, given, { days: '--days', site: '--site' })
  if (json) printJson(body)
  else print((body as { url: string }).url)
}

async function list(
  space: string,
  { status, json }: { status?: string; json?: true },
): Promise<void> {
  const requests = await listApi<ChangeRequest>(
    requestsOf(space),
    status === undefined ? {} : { status },
  )
  if (json) return printJson(requests)

  if (requests.length === 0) {
    const other = status === 'merged' ? 'open' : 'merged'
    return console.error(
      `No ${status ?? 'open'} change requests. Use --status ${other} to list others.`,
    )
  }

  printTable(
    ['NUMBER', 'STATUS', 'UPDATED', 'SUBJECT'],
    requests.map(each => [
      String(each.number),
      each.status,
      each.updatedAt.slice(0, 10),
      each.subject,
    ]),
  )
}

type DecideOptions = { json?: true; take?: string; bypassRules?: true }

/** Merges or updates, and reports conflicts. */
const decide =
  (verb: 'merge' | 'update') =>
  async (
    space: string,
    number: string,
    { json, take, bypassRules }: DecideOptions,
  ): Promise<void> => {
    const path = pathOf(space, number)
    const flags = { bypassRules: '--bypass-rules' }
    const body = bypassRules && { bypassRules }
    const first = (await callApi('POST', `${path}/${verb}`, body, flags)).body as Outcome
    const outcome = await taking(first, `${path}/${verb}`, take)

    if (json) printJson(outcome)
    if (outcome.result === 'conflicts')
      throw conflictFailure(space, number, outcome.conflicts ?? [])
    if (!json) print(outcome.revision)
  }

/** Returns the outcome with all conflicts resolved for one side, if there are any and one is named. */
async function taking(outcome: Outcome, path: string, take: string | undefined): Promise<Outcome> {
  if (outcome.result !== 'conflicts' || take === undefined) return outcome
  const paths = new Set(outcome.conflicts?.map(conflict => conflict.path))
  const resolutions = [...paths].map(path => ({ path, take }))
  return (await callApi('POST', path, { resolutions })).body as Outcome
}

const revertCommand = (): Command =>
  onOne(
    'revert',
    'Revert a merged change request, as a new one, and print its number; exits with 1 when there are conflicts',
  )
    .addOption(
      new Option(
        '--take <side>',
        'in conflicts, take ours (the space) or theirs (the content before the merge)',
      ).choices(['ours', 'theirs']),
    )
    .action(revert)

async function revert(
  space: string,
  number: string,
  { json, take }: { json?: true; take?: string },
): Promise<void> {
  const path = `${pathOf(space, number)}/revert`
  const outcome = await taking((await callApi('POST', path)).body as Outcome, path, take)
  if (json) printJson(outcome)
  if (!outcome.changeRequest)
    throw new Failure(
      [
        'What the merge brought was changed since, and nothing was created:',
        ...conflictLines(outcome.conflicts ?? []),
        legend('the space', 'before the merge'),
        'Resolve all conflicts for one side (ours is the space):',
        `  stemma change-request revert ${space} ${number} --take ours|theirs`,
        'or each file separately:',
        `  POST ${path} {"resolutions": [${resolutionForms}]}`,
      ].join('\n'),
    )
  if (!json) print(String(outcome.changeRequest.number))
}

const resolutionForms =
  '{"path", "take": "ours"|"theirs"}, {"path", "content"} or {"path", "hunks"}'

/** Returns a Failure with the conflicting files and the ways to continue. */
function conflictFailure(space: string, number: string, conflicts: readonly Conflict[]): Failure {
  return new Failure(
    [
      'Both sides changed the same files, and nothing was merged:',
      ...conflictLines(conflicts),
      legend('the change request', 'the space'),
      'Resolve all conflicts for one side (ours is the change request):',
      `  stemma change-request update ${space} ${number} --take ours|theirs`,
      'or each file separately:',
      `  POST ${requestsOf(space)}/${number}/update {"resolutions": [${resolutionForms}]}`,
      `or merge main into the branch change-requests/${number} with git and push.`,
    ].join('\n'),
  )
}

type ReviewOptions = {
  approve?: true
  requestChanges?: true
  message?: string
  revision?: string
  json?: true
}

async function review(
  space: string,
  number: string,
  { approve, requestChanges, message, revision, json }: ReviewOptions,
): Promise<void> {
  if (approve === requestChanges)
    throw new Failure('Use either --approve or --request-changes.', exitUsage)
  const { body } = await callApi('POST', `${pathOf(space, number)}/reviews`, {
    status: approve ? 'approved' : 'changes-requested',
    ...(message !== undefined && { comment: { markdown: message } }),
    ...(revision !== undefined && { revision }),
  })
  if (json) printJson(body)
  else print((body as { id: string }).id)
}

const conflictsCommand = (): Command =>
  onOne(
    'conflicts',
    'Print the conflicts of a change request with the space; exits with 1 when there are some',
  ).action(conflicts)

async function conflicts(space: string, number: string, { json }: { json?: true }): Promise<void> {
  const { body } = await callApi('GET', `${pathOf(space, number)}/conflicts`)
  const { items } = body as { items: Conflict[] }
  if (json) printJson(items)
  if (items.length === 0) return
  if (json) throw new Failure('')
  throw conflictFailure(space, number, items)
}

const diffCommand = (): Command =>
  onOne(
    'diff',
    'Print the changes of a change request as a unified diff (with --json: per page)',
  ).action(diff)

async function diff(space: string, number: string, { json }: { json?: true }): Promise<void> {
  const path = `${pathOf(space, number)}/changes`
  if (json) printJson((await callApi('GET', path)).body)
  else process.stdout.write((await callApi('GET', `${path}?format=diff`)).text)
}
