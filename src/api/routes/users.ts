import { routes } from '../../http/endpoint.ts'
import { getApiInformation } from '../system/endpoints.ts'
import * as tokens from '../tokens/endpoints.ts'
import * as users from '../users/endpoints.ts'

/** The service, users and their tokens. */
export const usersRoutes = routes({
  // The service
  'GET /': getApiInformation,

  // Users and their tokens
  'GET /user': users.getAuthenticatedUser,
  'GET /user/tokens': tokens.listUserTokens,
  'POST /user/tokens': tokens.createUserToken,
  'DELETE /user/tokens': tokens.deleteUserTokens,
  'DELETE /user/tokens/:tokenId': tokens.deleteUserToken,
  'GET /users/:userId': users.getUserById,
  'PATCH /users/:userId': users.updateUserById,
})
