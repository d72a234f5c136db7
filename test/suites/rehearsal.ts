import { suite } from "./suites";

suite("rehearsal");
