import { type Command, Option } from 'commander'
import { callApi, listApi } from './call-api.ts'
import { exitUsage, Failure } from './failure.ts'
import { newGroup, newQuery } from './new-command.ts'
import { oneLine, print, printJson, printTable } from './print.ts'

type ChangeRequest = { id: string; number: number; status: string; subject: string; updatedAt: string }
type Conflict = { path: string; type: string }
type Outcome = { revision: string; result: string; conflicts?: Conflict[] }

const onOne = (name: string, about: string): Command =>
  newQuery(name, about, `stemma change-request ${name} 3vJ0qX… 12`)
    .argument('<space>', 'the id of the space')
    .argument('<number>', 'the number of the change request')

/** `stemma change-request`: change requests, over HTTP. */
export const changeRequestCommand = (): Command =>
  newGroup('change-request', 'Change requests', [
    newQuery(
      'create',
      'Make a change request and print its number',
      'stemma change-request create 3vJ0qX… --subject "Fix the install page"',
    )
      .argument('<space>', 'the id of the space')
      .requiredOption('--subject <text>', 'what it is about')
      .action(create),
    newQuery(
      'list',
      'List change requests, newest first',
      'stemma change-request list 3vJ0qX… --status merged',
    )
      .argument('<space>', 'the id of the space')
      .addOption(
        new Option('--status <status>', 'only these; open ones when not said').choices([
          'draft',
          'open',
          'archived',
          'merged',
        ]),
      )
      .action(list),
    onOne('merge', 'Merge a change request; exit 1 when there are conflicts').action(decide('merge')),
    onOne('update', 'Bring the content of the space into a change request; exit 1 when there are conflicts')
      .addOption(
        new Option(
          '--take <side>',
          'where there are conflicts: ours (the change request) or theirs wins',
        ).choices(['ours', 'theirs']),
      )
      .action(decide('update')),
    newQuery(
      'review',
      'Say what you think of a change request and print the id of the review',
      'stemma change-request review 3vJ0qX… 12 --approve -m "Reads well."',
    )
      .argument('<space>', 'the id of the space')
      .argument('<number>', 'the number of the change request')
      .option('--approve', 'it may be merged as it is')
      .option('--request-changes', 'something has to change first')
      .option('-m, --message <text>', 'a comment, in Markdown')
      .option('--revision <id>', 'the revision you looked at: refused when there is another one by now')
      .action(review),
    onOne(
      'diff',
      'Print what a change request changes, as a unified diff (with --json: page by page)',
    ).action(diff),
  ])

const requestsOf = (space: string) => `/v1/spaces/${encodeURIComponent(space)}/change-requests`

function pathOf(space: string, number: string): string {
  if (!/^[1-9]\d{0,8}$/.test(number))
    throw new Failure(`"${number}" is no number of a change request, such as 12.`, exitUsage)
  return `${requestsOf(space)}/${number}`
}

async function create(space: string, { subject, json }: { subject: string; json?: true }): Promise<void> {
  const { body } = await callApi('POST', requestsOf(space), { subject }, { subject: '--subject' })
  if (json) printJson(body)
  else print(String((body as ChangeRequest).number))
}

async function list(space: string, { status, json }: { status?: string; json?: true }): Promise<void> {
  const requests = await listApi<ChangeRequest>(requestsOf(space), status === undefined ? {} : { status })
  if (json) return printJson(requests)
  if (requests.length === 0) {
    const other = status === 'merged' ? 'open' : 'merged'
    return console.error(`No ${status ?? 'open'} ones; --status ${other} shows others.`)
  }
  printTable(
    ['NUMBER', 'STATUS', 'UPDATED', 'SUBJECT'],
    requests.map(each => [String(each.number), each.status, each.updatedAt.slice(0, 10), each.subject]),
  )
}

/** What merges or updates, and tells of conflicts. */
const decide =
  (verb: 'merge' | 'update') =>
  async (space: string, number: string, { json, take }: { json?: true; take?: string }): Promise<void> => {
    const path = pathOf(space, number)
    let outcome = (await callApi('POST', `${path}/${verb}`)).body as Outcome
    if (outcome.result === 'conflicts' && take !== undefined) {
      const paths = new Set(outcome.conflicts?.map(conflict => conflict.path))
      const resolutions = [...paths].map(path => ({ path, take }))
      outcome = (await callApi('POST', `${path}/${verb}`, { resolutions })).body as Outcome
    }
    if (json) printJson(outcome)
    if (outcome.result === 'conflicts') throw conflictFailure(space, number, outcome.conflicts ?? [])
    if (!json) print(outcome.revision)
  }

/** Which files are in conflict, and the ways to go on. */
function conflictFailure(space: string, number: string, conflicts: readonly Conflict[]): Failure {
  const paths = conflicts.map(({ path, type }) => `  ${oneLine(path)} (${oneLine(type)})`)
  const sides = '{"path", "take": "ours"|"theirs"} or {"path", "content"}'
  return new Failure(
    [
      'Both sides have changed the same places, and nothing was changed:',
      ...paths,
      'Resolve all of them for one side (ours is the change request):',
      `  stemma change-request update ${space} ${number} --take ours|theirs`,
      'or each by itself:',
      `  POST ${requestsOf(space)}/${number}/update {"resolutions": [${sides}]}`,
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
  if (approve === requestChanges) throw new Failure('Say --approve or --request-changes.', exitUsage)
  const { body } = await callApi('POST', `${pathOf(space, number)}/reviews`, {
    status: approve ? 'approved' : 'changes-requested',
    ...(message !== undefined && { comment: { markdown: message } }),
    ...(revision !== undefined && { revision }),
  })
  if (json) printJson(body)
  else print((body as { id: string }).id)
}

async function diff(space: string, number: string, { json }: { json?: true }): Promise<void> {
  const path = `${pathOf(space, number)}/changes`
  if (json) printJson((await callApi('GET', path)).body)
  else process.stdout.write((await callApi('GET', `${path}?format=diff`)).text)
}
