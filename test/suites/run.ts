import { suite } from "./suites";

suite("run");
