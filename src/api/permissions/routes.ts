import { routes } from '../../http/endpoint.ts'

export const permissionRoutes = routes({})
