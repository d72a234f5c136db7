/** Run by jest before each test file: what the programs make in memory has keys of the pool. */
import { privateKeys } from "../../plugin/adapters/private-keys";
import { pooledKey } from "./key-pool";

privateKeys.make = (plan) => Promise.resolve(pooledKey(plan));
