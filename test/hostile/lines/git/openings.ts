import { craft, pageOid, treeOf } from '../../../support/git/raw-commit.ts'
import { type RawPush, sendPush } from '../../../support/git/raw-push.ts'
import { gitOutside } from '../../../support/git/repo.ts'
import { beside } from '../../beside.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { repositoryOf } from '../storage.ts'
import { unstaged } from './pushes.ts'

/**
 * The result of pushes that open change requests: the last report, and the number of change
 * requests of the space.
 */
type Opened = { status: number; report: string[]; opened: number }

/** Pushes a commit to new branches of a new space, in several pushes. */
async function openMany(
  stage: Stage,
  names: readonly (readonly string[])[],
  more: Partial<RawPush> = {},
): Promise<Opened> {
  const id = await stage.space('Opened')
  const git = (...args: string[]) =>
    gitOutside(stage.folder, ['--git-dir', repositoryOf(stage, id), ...args])
  const changes = [{ operation: 'insert_page', title: 'One', document: { markdown: 'One.' } }]
  await stage.call('POST', `/v1/spaces/${id}/content`, { body: { changes } })
  const crafted = craft(
    [git('rev-parse', 'refs/heads/main')],
    [treeOf([['100644', 'page.md', pageOid]])],
  )
  let last = { status: 0, report: [] as string[] }

  for (const each of names) {
    const commands = each.map(name => ({ ref: `refs/heads/${name}`, to: crafted.to }))
    last = await sendPush(stage.url, id, stage.tokens.editor ?? '', {
      commands,
      pack: crafted.pack,
      ...more,
    })
  }

  await unstaged(stage)
  git('fsck', '--strict', '--no-dangling')
  const { text } = await stage.call(
    'GET',
    `/v1/spaces/${id}/change-requests?status=open&limit=1000`,
  )
  const { items } = JSON.parse(text) as { items: unknown[] }
  const heads = git('for-each-ref', '--format=%(refname)', 'refs/heads/change-requests/')

  must(
    heads.split('\n').filter(Boolean).length === items.length,
    'branches and change requests differ',
  )

  return { ...last, opened: items.length }
}

const branches = (count: number, prefix = 'b') =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`)

const refusedLines = (report: readonly string[], words: RegExp): number =>
  report.filter(each => each.startsWith('ng ') && words.test(each)).length

const tooMany = /a push opens at most 50 change requests/

/** 2,000 new branches in one push. */
const oneByOne = async (stage: Stage): Promise<Seen> => {
  const { status, report, opened } = await openMany(stage, [branches(2000)])
  must(opened === 50, `${opened} change requests were opened`)
  must(refusedLines(report, tooMany) === 1950, report.slice(-1).join())
  return { status, text: report.slice(-1).join() }
}

/** The same as an atomic push. */
const atomic = async (stage: Stage): Promise<Seen> => {
  const { status, report, opened } = await openMany(stage, [branches(2000)], {
    capabilities: 'atomic',
  })
  must(opened === 0, `${opened} change requests were opened`)
  must(refusedLines(report, /./) === 2000, report.slice(-1).join())
  return { status, text: report.slice(-1).join() }
}

/** More pushes than the limit of a day has room for. */
const inADay = async (): Promise<Seen> => {
  const stage = await beside('few-change-requests', {
    env: { STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: '60', STEMMA_LOG: 'warn' },
  })
  const turns = ['a', 'b', 'c'].map(prefix => branches(50, prefix))
  const { status, report, opened } = await openMany(stage, turns)
  must(opened === 60, `${opened} change requests were opened`)
  return { status, text: report.slice(-1).join() }
}

/** Pushes that open more change requests than they may, and with names that pass for other ones. */
export const openings: Line[] = [
  line('GH39', '2,000 new branches in one push', 200, tooMany, oneByOne),
  line('GH39', '2,000 new branches in an atomic push', 200, tooMany, atomic),
  line(
    'GH39',
    '150 new branches where 60 a day may be opened',
    200,
    /limit of 60 new change requests/,
    inADay,
  ),
  ...['m\u0430in', 'm\u0430in/x', '\u0441hange-requests/1'].map(name =>
    line(
      'GH39',
      `a branch "${name}" with a Cyrillic letter`,
      200,
      /^ng .* looks like "/,
      async stage => {
        const { status, report, opened } = await openMany(stage, [[name]])
        must(opened === 0, 'it is taken')
        return { status, text: report.slice(-1).join() }
      },
    ),
  ),
]
