import type { Store } from '../store.ts'
import { query } from '../store.ts'

/**
 * Stores the size of the repository of a space in bytes. Does nothing if the space no longer
 * exists.
 */
export const putSpaceSize = (store: Store, spaceId: string, bytes: number, at: string): number =>
  store.run(
    query
      .insertInto('space_size')
      .columns(['space_id', 'bytes', 'measured_at'])
      .expression(from =>
        from
          .selectFrom('space')
          .select(({ val }) => ['id', val(bytes).as('bytes'), val(at).as('measured_at')])
          .where('id', '=', spaceId),
      )
      .onConflict(conflict => conflict.column('space_id').doUpdateSet({ bytes, measured_at: at })),
  )

/** Returns whether the size of a space is stored. */
export const hasSpaceSize = (store: Store, spaceId: string): boolean =>
  store.get(query.selectFrom('space_size').select('space_id').where('space_id', '=', spaceId)) !==
  undefined

/** Returns the bytes of all repositories of an organization, as last measured. */
export const sumSpaceSizes = (store: Store, organizationId: string): number =>
  Number(
    store.get(
      query
        .selectFrom('space_size')
        .innerJoin('space', 'space.id', 'space_size.space_id')
        .select(({ fn }) => fn.sum<number | null>('space_size.bytes').as('bytes'))
        .where('space.organization_id', '=', organizationId),
    )?.bytes ?? 0,
  )
