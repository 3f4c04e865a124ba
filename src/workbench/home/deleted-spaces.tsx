import { z } from 'zod'
import { organization } from '../../access/guards/organization.ts'
import { space } from '../../access/guards/space.ts'
import { purgeTime, restoreSpace } from '../../actions/spaces/delete-space.ts'
import { inTransaction } from '../../http/endpoint.ts'
import { listDeletedSpaces } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { form, page } from '../frame/page.ts'
import { Form, Submit } from '../parts/form.tsx'
import { Empty, Pager, Row, Rows } from '../parts/pieces.tsx'
import { Time } from '../parts/time.tsx'

const atOnce = 50

const pathOf = (organizationId: string): string => `/deleted/${organizationId}`

/** The position of a part of the list: a time and a sequence number. */
const Position = z
  .string()
  .regex(/^[\dTZ:.-]{10,40}~\d{1,15}$/)
  .transform((text): [string, number] => {
    const [at = '', seq = ''] = text.split('~', 2)
    return [at, Number(seq)]
  })

/** The deleted spaces of an organization, which its admins restore. */
export const deletedSpaces = page({
  path: '/deleted/:organizationId',
  scope: 'spaces:read',
  access: organization('admin'),
  query: z.object({ after: Position.optional() }),
  load: ({ ctx, organization: { id, title }, query: { after } }) => {
    const found = listDeletedSpaces(ctx.store, id, atOnce + 1, after)
    const rows = found.slice(0, atOnce)
    const last = found.length > atOnce ? rows.at(-1) : undefined
    return { id, title, rows, last, isFirst: after === undefined }
  },
  view: ({ id, title, rows, last, isFirst }) => ({
    title: `Deleted spaces of ${title}`,
    crumbs: [{ title: 'Home', to: '' }],
    width: 'wide',
    body: (
      <>
        {rows.length === 0 ? (
          <Empty>There is no deleted space here. A space is kept for seven days.</Empty>
        ) : (
          <Rows>
            {rows.map(row => (
              <Deleted row={row} />
            ))}
          </Rows>
        )}
        <Pager
          newer={isFirst ? undefined : pathOf(id)}
          older={
            last &&
            `${pathOf(id)}?${new URLSearchParams({ after: `${last.deleted_at}~${last.seq}` })}`
          }
        />
      </>
    ),
  }),
})

function Deleted({ row: { id, organization_id, title, deleted_at } }: { row: SpaceRow }) {
  const at = deleted_at ?? ''
  const name = title === '' ? 'Untitled' : title
  return (
    <Row
      title={name}
      small={
        <>
          deleted <Time at={at} />, kept until {new Date(purgeTime(at)).toISOString().slice(0, 10)}
        </>
      }
      end={
        <Form to={`${pathOf(organization_id)}/${id}`}>
          <Submit label={`Restore the space “${name}”`}>Restore</Submit>
        </Form>
      }
    />
  )
}

export const restoreDeleted = form({
  path: '/deleted/:organizationId/:spaceId',
  scope: 'spaces:admin',
  access: space('admin', { deleted: true }),
  body: z.object({}),
  shownOn: ({ organizationId }) => pathOf(organizationId),
  act: ({ ctx, by }) =>
    inTransaction(granted => {
      const { organization_id, title } = restoreSpace(ctx, granted.space, by)
      return { to: pathOf(organization_id), notice: `“${title}” was restored.` }
    }),
})
