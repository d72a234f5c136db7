import { suite } from "./suites";

suite("domain");
