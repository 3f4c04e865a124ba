import { z } from 'zod'
import { space } from '../../access/guards/space.ts'
import { cancelImport } from '../../actions/importing/cancel-import.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { findImportRun } from '../../store/spaces/import-runs.ts'
import type { ImportRunRow } from '../../store/tables/rows.ts'
import { form, Live, page } from '../frame/page.ts'
import { Form, Submit } from '../parts/form.tsx'
import { A, ButtonLink } from '../parts/link.tsx'
import { Note, Row, Rows, Section } from '../parts/pieces.tsx'
import { importPath, isWaiting, stateOf } from './state.ts'

type RunAddress = { ctx: Context; space: { id: string }; params: { importRunId: string } }

/** Returns the import of a path. Throws 'missing'. */
function runOf({ ctx, space, params: { importRunId } }: RunAddress): ImportRunRow {
  const run = findImportRun(ctx.store, importRunId)
  if (run?.space_id !== space.id) throw missing('import', importRunId)
  return run
}

type Loaded = { run: ImportRunRow; number: number | undefined }

export const importPage = page({
  path: '/s/:spaceId/imports/:importRunId',
  scope: 'content:read',
  access: space('edit'),
  load: (asked): Loaded => {
    const run = runOf(asked)
    const { change_request_id: id } = run
    const request = id === null ? undefined : findChangeRequest(asked.ctx.store, run.space_id, id)
    return { run, number: request?.number }
  },
  view: ({ run, number }, { space: { id, title } }) => {
    const target = number === undefined ? `/s/${id}` : `/s/${id}/changes/${number}`
    return {
      title: 'Import of files',
      crumbs: [
        { title, to: `/s/${id}` },
        { title: 'Import files', to: `${target}/import` },
      ],
      ...(isWaiting(run) && { live: livePath(run) }),
      actions: <ButtonLink to={target}>{number === undefined ? 'Pages' : `#${number}`}</ButtonLink>,
      body: (
        <>
          <State run={run} number={number} />
          {run.findings.length > 0 && <Findings run={run} />}
          {run.pages.length > 0 && <Pages run={run} target={target} />}
        </>
      ),
    }
  },
})

/** Returns the path of the stream that says when an import gets further. */
const livePath = (run: ImportRunRow): string =>
  `${importPath(run)}/live?status=${run.status}&pages=${run.pages.length}`

const tones = {
  pending: 'info',
  'in-progress': 'info',
  completed: 'success',
  failed: 'danger',
  cancelled: 'muted',
} as const

function State({ run, number }: Loaded) {
  const { text } = stateOf(run)
  return (
    <>
      <Note tone={tones[run.status]}>
        {text}{' '}
        {run.status === 'completed' &&
          number !== undefined &&
          `They are in #${number}: review and merge it.`}
        {isWaiting(run) && <A to={importPath(run)}>Look again</A>}
      </Note>
      {isWaiting(run) && (
        <Form to={`${importPath(run)}/cancel`}>
          <Submit>Cancel the import</Submit>
        </Form>
      )}
    </>
  )
}

const Findings = ({ run: { findings } }: { run: ImportRunRow }) => (
  <Section title="Problems" id="findings" count={findings.length}>
    <Rows>
      {findings.map(({ path, message }) => (
        <Row title={path || 'More'} small={message} />
      ))}
    </Rows>
  </Section>
)

function Pages({ run, target }: { run: ImportRunRow; target: string }) {
  const isWritten = run.status === 'completed'
  return (
    <Section title="Pages" id="pages" count={run.pages.length}>
      <Rows>
        {run.pages.map(({ id, title, path }) => (
          <Row {...(isWritten && { to: `${target}/edit/${id}` })} title={title} small={path} />
        ))}
      </Rows>
    </Section>
  )
}

const LiveQuery = z.object({
  status: z.string().max(20),
  pages: z.coerce.number().int().min(0).max(1_000_000),
})

/** Tells the page of an import that it has got further. */
export const liveImport = page({
  path: '/s/:spaceId/imports/:importRunId/live',
  scope: 'content:read',
  access: space('edit'),
  query: LiveQuery,
  load: asked => {
    const { status, pages } = asked.query
    return new Live(() => {
      const run = runOf(asked)
      if (run.status === status && run.pages.length === pages) return { text: '' }
      return { text: stateOf(run).text, again: 'Show it', reloads: true }
    })
  },
  view: () => ({ title: '', body: null }),
})

export const cancelImportForm = form({
  path: '/s/:spaceId/imports/:importRunId/cancel',
  scope: 'content:write',
  access: space('edit'),
  body: z.object({}),
  shownOn: ({ spaceId, importRunId }) => importPath({ space_id: spaceId, id: importRunId }),
  act: ({ ctx, params }) =>
    inTransaction(({ space }) => {
      const run = cancelImport(ctx, runOf({ ctx, space, params }))
      return { to: importPath(run), notice: 'The import was cancelled.' }
    }),
})
