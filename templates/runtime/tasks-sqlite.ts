export { sqliteTaskStore } from "./tasks/sqlite-store.js";
export type {
  SqliteDatabase,
  SqliteStatement,
  SqliteTaskStoreOptions,
  SqliteValue,
} from "./tasks/sqlite-store.js";
