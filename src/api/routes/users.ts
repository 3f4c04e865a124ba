import { routes } from '../../http/endpoint.ts'
import * as users from '../base/users/endpoints.ts'
import * as sessions from '../people/sessions/endpoints.ts'
import * as tokens from '../people/tokens/endpoints.ts'
import { getApiInformation } from '../system/endpoints.ts'

/** The service, users, their tokens and their browser sessions. */
export const usersRoutes = routes({
  // The service
  'GET /': getApiInformation,

  // Users, their tokens and their browser sessions
  'GET /user': users.getAuthenticatedUser,
  'GET /user/tokens': tokens.listUserTokens,
  'POST /user/tokens': tokens.createUserToken,
  'DELETE /user/tokens': tokens.deleteUserTokens,
  'DELETE /user/tokens/:tokenId': tokens.deleteUserToken,
  'GET /user/sessions': sessions.listUserSessions,
  'DELETE /user/sessions/:sessionId': sessions.deleteUserSession,
  'GET /users/:userId': users.getUserById,
  'PATCH /users/:userId': users.updateUserById,
})
