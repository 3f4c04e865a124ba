import { createToken } from '../../../src/actions/people/create-token.ts'
import { openSession } from '../../../src/actions/sso/sessions.ts'
import type { App } from '../../support/app.ts'
import { another } from '../world.ts'
import { type Calls, fresh, own } from './call.ts'

/** Opens a session of a user with a token of its own; returns its id. */
function sessionOf({ ctx }: App, userId: string): string {
  const { row } = createToken(ctx.store, { userId, name: 'browser' }, ctx.now())
  return openSession(ctx, row, { userAgent: undefined, address: '127.0.0.1' }, null).row.id
}

/** Users, their tokens, and organizations. */
export const people: Calls = {
  createUserToken: fresh(() => ({ body: { name: another('Token') } })),
  deleteUserToken: own(({ app, by }, { actor }) => ({
    ids: {
      tokenId: createToken(app.ctx.store, { userId: actor.id || by.id, name: 'old' }, app.ctx.now())
        .row.id,
    },
  })),
  'deleteUserToken@other': fresh(({ app, fellow }) => ({
    ids: {
      tokenId: createToken(app.ctx.store, { userId: fellow, name: 'theirs' }, app.ctx.now()).row.id,
    },
  })),
  deleteUserTokens: own(({ app, by }, { actor }) => {
    createToken(app.ctx.store, { userId: actor.id || by.id, name: 'old' }, app.ctx.now())
    return { query: '?except=current' }
  }),
  deleteUserSession: own(({ app, by }, { actor }) => ({
    ids: { sessionId: sessionOf(app, actor.id || by.id) },
  })),
  'deleteUserSession@other': fresh(({ app, fellow }) => ({
    ids: { sessionId: sessionOf(app, fellow) },
  })),
  deleteOrganizationToken: fresh(({ app, fellow, ids }) => ({
    ids: {
      tokenId: createToken(
        app.ctx.store,
        { userId: fellow, name: 'theirs', organizationId: ids.organizationId as string },
        app.ctx.now(),
      ).row.id,
    },
  })),
  generateStorageUploadURL: fresh(() => ({
    body: { file: { name: another('File'), type: 'image/png', size: 1 }, kind: 'import_file' },
  })),
  updateUserById: own(({ by }, { actor }) => ({
    ids: { userId: actor.id || by.id },
    body: { displayName: another('Name') },
  })),
  'updateUserById@other': fresh(({ fellow }) => ({
    ids: { userId: fellow },
    body: { displayName: another('Name') },
  })),
  getOrganizationsForEmailDomain: fresh(() => ({ ids: { emailDomain: 'example.org' } })),
  createOrganization: fresh(() => ({ body: { title: another('Org') } })),
  updateOrganizationById: fresh(() => ({ body: { title: another('Acme') } })),
}
