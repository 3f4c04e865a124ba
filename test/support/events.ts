import { query } from '../../src/store/store.ts'
import type { App } from './app.ts'

/** The audit events of a target, oldest first. */
export const eventsOf = (app: App, targetId: string) =>
  app.ctx.store.all(
    query
      .selectFrom('audit_event')
      .select(['action', 'user_id as user', 'details'])
      .where('target_id', '=', targetId)
      .orderBy('seq'),
  )
